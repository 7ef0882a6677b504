// SPDX-License-Identifier: Apache-2.0
package import Siding
internal import SidingChain
internal import SidingJSON

/// Provenance as a `--json` object.
package enum ProvenanceShape {
    package static func object(_ provenance: RecordProvenance) -> JSONObject {
        var object: JSONObject = [
            "resource": provenance.resource, "key": provenance.key, "cause": provenance.cause.rawValue,
        ]
        object.add(provenance.run.map(members))
        let known = provenance.confirmation
        object.add([
            "request": provenance.request.map(request), "first_seen_at": provenance.firstSeenAt,
            "changed_at": provenance.changedAt,
            "confirmed_at": known.confirmedAt, "page_answered_at": known.pageAnsweredAt,
            "page_status": known.pageStatus, "listing_completed_at": known.listingCompletedAt,
            "listing_run": known.listingRun, "missing": known.isMissing ? true : nil,
            "unknown": known.isUnknown ? true : nil,
            "missing_passes": known.missingPasses, "passes_needed": known.passesNeeded,
            "edits": !provenance.edits.isEmpty ? provenance.edits.map(edit) : nil,
            "undeleted_at": provenance.undeletedAt,
        ])
        guard let deletion = provenance.deletion else { return object }
        var deleted: JSONObject = ["at": deletion.at, "cause": deletion.cause.rawValue]
        deleted.add(deletion.run.map(members))
        deleted.add("entry", deletion.entry)
        object.add("deleted", deleted)
        return object
    }

    private static func members(of run: RecordProvenance.RunNote) -> JSONObject {
        ["run": run.id, "command": run.command, "started_at": run.startedAt]
    }

    private static func request(_ request: RecordProvenance.Request) -> JSONObject {
        [
            "method": request.method, "url": request.url, "scope": request.scope, "page": request.page,
            "status": request.status, "etag": request.etag, "last_modified": request.lastModified, "at": request.at,
            "entry": request.entry,
        ]
    }

    private static func edit(_ edit: RecordProvenance.Edit) -> JSONObject {
        ["entry": edit.entry, "state": edit.state.rawValue, "change": edit.change, "created_at": edit.createdAt]
    }
}

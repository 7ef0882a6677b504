import ArgumentParser
import Siding
import SidingChain
import SidingJSON

/// `siding records why RESOURCE KEY`: prints a record's provenance.
struct RecordsWhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Show where a record came from: run, request, page, validators and your own edits.")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The resource.") var resource: String
    @Argument(help: "The record's key.") var key: String

    func run() async throws {
        try await options.withStore { _, store in
            guard let provenance = try await store.provenance(of: resource, key: key) else {
                throw CommandError.noRecord(key, of: resource)
            }
            if options.json {
                Output.line(ProvenanceShape.object(provenance).text)
            } else {
                ProvenanceReport(provenance: provenance, format: options.messageFormat).print(options.terminal)
            }
        }
    }
}

/// Provenance as a `--json` object.
enum ProvenanceShape {
    static func object(_ provenance: RecordProvenance) -> JSONObject {
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
            "listing_run": known.listingRun, "edits": !provenance.edits.isEmpty ? provenance.edits.map(edit) : nil,
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

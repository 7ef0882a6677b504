// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
package import Siding
internal import SidingChain
internal import SidingJSON

/// Builds the objects of `--json` output. Their members are documented: new ones may be added, none renamed.
package enum Shapes {
    package static func sync(_ report: SyncReport) -> JSONObject { resource(report.result) }

    package static func resource(_ result: RunResource) -> JSONObject {
        let counters = result.counters
        return [
            "resource": result.resource, "outcome": result.outcome?.rawValue,
            "pages": counters.pages, "requests": counters.requests, "not_modified": counters.notModified,
            "inserted": counters.inserted, "updated": counters.updated, "unchanged": counters.unchanged,
            "stale": counters.stale, "deleted": counters.deleted, "deletions_blocked": counters.deletionsBlocked,
            "quarantined": counters.quarantined, "duplicates": counters.duplicates, "bytes": counters.bytes,
            "duration_ms": result.duration.wholeMicroseconds / 1000, "entry": result.entry,
            "error": result.error.map(error), "notes": result.notes.isEmpty ? nil : result.notes,
        ]
    }

    package static func error(_ error: RecordedError) -> JSONObject {
        [
            "name": error.name, "message": error.message, "hint": error.hint, "status": error.status,
            "phase": error.phase,
        ]
    }

    /// - Parameter change: what happened to the record, in an export of changes.
    package static func record(_ record: Record, change: String? = nil, hasBody: Bool = true) -> JSONObject {
        [
            "change": change, "resource": record.resource, "key": record.key,
            "body": hasBody ? JSONText(record.body) : nil, "first_seen_at": record.firstSeenAt,
            "changed_at": record.changedAt, "deleted_at": record.deletedAt,
            // Run 0: a program or the user wrote the record, not a sync.
            "run": record.run == 0 ? nil : record.run, "pending": record.pending > 0 ? record.pending : nil,
        ]
    }

    package static func entry(_ entry: QueueEntry) -> JSONObject {
        [
            "id": entry.id, "kind": entry.kind.rawValue, "state": entry.state.rawValue,
            "reason": entry.reason?.rawValue, "source": entry.source, "resource": entry.resource,
            "record_key": entry.recordKey, "lane": entry.lane, "method": entry.method, "url": entry.url,
            "page": entry.pageNumber, "attempts": entry.attempts, "tries": entry.tries, "created_at": entry.createdAt,
            "next_attempt_at": entry.state == .queued ? entry.nextAttemptAt : nil, "unknown_since": entry.unknownSince,
            "completed_at": entry.completedAt, "write": entry.operation, "last_error": entry.lastError.map(error),
        ]
    }

    package static func entry(
        _ entry: QueueEntry, _ explanation: QueueExplanation, _ history: [QueueEvent], _ content: WriteContent? = nil,
        _ conflict: ConflictReport? = nil
    ) -> JSONObject {
        var object = self.entry(entry)
        object.add(["why": explanation.why, "next": explanation.next, "history": history.map(event)])
        if let content { members(of: entry, content, into: &object) }
        object.add("record", conflict.map(record(in:)))
        return object
    }

    private static func record(in conflict: ConflictReport) -> JSONObject {
        let conflicts = conflict.difference?.conflicts.map(\.description) ?? []
        return [
            "base": conflict.base.map { JSONText($0.bytes) }, "mine": conflict.mine.map { JSONText($0.bytes) },
            "theirs": conflict.theirs.map { JSONText($0.bytes) }, "disagreement": conflict.disagreement,
            "theirs_stored_at": conflict.theirsStoredAt,
            "conflicts": conflicts.isEmpty ? nil : conflicts,
        ]
    }

    private static func members(of entry: QueueEntry, _ content: WriteContent, into object: inout JSONObject) {
        var headers: JSONObject = [:]
        for field in content.headerFields { headers.add(field.name.rawName, field.value) }
        object.add([
            "headers": headers, "key": content.key, "sent_at": entry.firstSentAt,
            "after": content.parents.isEmpty ? nil : content.parents, "replaces": entry.replaces,
            "probe": content.probe,
        ])
        if let body = content.body { object.body("body", body) }
        guard let answer = content.answer else { return }
        var shown: JSONObject = ["status": answer.status, "content_type": answer.contentType]
        shown.body("body", answer.body)
        object.add("answer", shown)
    }

    private static func event(_ event: QueueEvent) -> JSONObject {
        ["at": event.at, "event": event.event.rawValue, "detail": event.detail, "by": event.who]
    }

    package static func run(_ run: Run) -> JSONObject {
        [
            "id": run.id, "command": run.command, "started_at": run.startedAt, "ended_at": run.endedAt,
            "outcome": run.outcome?.rawValue, "resources": run.resources.map(resource),
        ]
    }
}

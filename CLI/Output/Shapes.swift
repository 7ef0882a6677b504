import HTTPTypes
import Siding
import SidingChain
import SidingJSON

/// Builds the objects of `--json` output. Their members are documented: new ones may be added, none renamed.
enum Shapes {
    static func sync(_ report: SyncReport) -> JSONObject { resource(report.line) }

    static func resource(_ line: RunResource) -> JSONObject {
        var object = JSONObject()
        object.string("resource", line.resource)
        object.optional("outcome", line.outcome?.rawValue)
        counters(line.counters, into: &object)
        object.int("duration_ms", line.duration.wholeMicroseconds / 1000)
        object.optional("entry", line.entry)
        if let error = line.error { object.object("error") { members(of: error, into: &$0) } }
        if !line.notes.isEmpty { object.strings("notes", line.notes) }
        return object
    }

    private static func counters(_ counters: RunCounters, into object: inout JSONObject) {
        object.int("pages", counters.pages)
        object.int("requests", counters.requests)
        object.int("not_modified", counters.notModified)
        object.int("inserted", counters.inserted)
        object.int("updated", counters.updated)
        object.int("unchanged", counters.unchanged)
        object.int("stale", counters.stale)
        object.int("deleted", counters.deleted)
        object.int("withheld", counters.withheld)
        object.int("quarantined", counters.quarantined)
        object.int("duplicates", counters.duplicates)
        object.int("bytes", counters.bytes)
    }

    static func members(of error: RecordedError, into object: inout JSONObject) {
        object.string("name", error.name)
        object.string("message", error.message)
        object.optional("hint", error.hint)
        object.optional("status", error.status)
        object.optional("phase", error.phase)
    }

    /// - Parameter change: what happened to the record, in an export of changes.
    static func record(_ record: Record, change: String? = nil, hasBody: Bool = true) -> JSONObject {
        var object = JSONObject()
        object.optional("change", change)
        object.string("resource", record.resource)
        object.string("key", record.key)
        if hasBody { object.raw("body", record.body) }
        object.time("first_seen_at", record.firstSeenAt)
        object.time("changed_at", record.changedAt)
        object.optional("deleted_at", record.deletedAt)
        // Run 0: a program or the user wrote the record, not a sync.
        if record.run != 0 { object.int("run", record.run) }
        if record.pending > 0 { object.int("pending", record.pending) }
        return object
    }

    static func entry(_ entry: QueueEntry) -> JSONObject {
        var object = JSONObject()
        object.string("id", entry.id)
        object.string("kind", entry.kind.rawValue)
        object.string("state", entry.state.rawValue)
        object.optional("reason", entry.reason?.rawValue)
        object.string("source", entry.source)
        object.optional("resource", entry.resource)
        object.optional("record_key", entry.recordKey)
        object.string("lane", entry.lane)
        object.string("method", entry.method)
        object.string("url", entry.url)
        object.optional("page", entry.pageNumber)
        object.int("attempts", entry.attempts)
        object.int("tries", entry.tries)
        object.time("created_at", entry.createdAt)
        if entry.state == .queued { object.time("next_attempt_at", entry.nextAttemptAt) }
        object.optional("unknown_since", entry.unknownSince)
        object.optional("settled_at", entry.settledAt)
        object.optional("write", entry.operation)
        if let error = entry.lastError { object.object("last_error") { members(of: error, into: &$0) } }
        return object
    }

    static func entry(
        _ entry: QueueEntry, _ explanation: QueueExplanation, _ history: [QueueEvent], _ content: WriteContent? = nil,
        _ conflict: ConflictReport? = nil
    ) -> JSONObject {
        var object = self.entry(entry)
        object.string("why", explanation.why)
        object.string("next", explanation.next)
        object.array("history", history.map(event))
        if let content { members(of: entry, content, into: &object) }
        if let conflict { object.object("record") { members(of: conflict, into: &$0) } }
        return object
    }

    private static func members(of conflict: ConflictReport, into object: inout JSONObject) {
        if let base = conflict.base { object.raw("base", Array(base.bytes)) }
        if let mine = conflict.mine { object.raw("mine", Array(mine.bytes)) }
        if let theirs = conflict.theirs { object.raw("theirs", Array(theirs.bytes)) }
        object.optional("disagreement", conflict.disagreement)
        if let conflicts = conflict.difference?.conflicts, !conflicts.isEmpty {
            object.strings("conflicts", conflicts.map(\.description))
        }
    }

    private static func members(of entry: QueueEntry, _ content: WriteContent, into object: inout JSONObject) {
        object.object("headers") { headers in
            for field in content.headerFields { headers.string(field.name.rawName, field.value) }
        }
        object.string("key", content.key)
        object.optional("sent_at", entry.firstSentAt)
        if !content.parents.isEmpty { object.strings("after", content.parents) }
        object.optional("replaces", entry.replaces)
        object.optional("probe", content.probe)
        if let body = content.body { object.body("body", body) }
        guard let answer = content.answer else { return }
        object.object("answer") { object in
            object.int("status", answer.status)
            object.optional("content_type", answer.contentType)
            object.body("body", answer.body)
        }
    }

    private static func event(_ event: QueueEvent) -> JSONObject {
        var object = JSONObject()
        object.time("at", event.at)
        object.string("event", event.event)
        object.optional("detail", event.detail)
        object.string("by", event.who)
        return object
    }

    static func run(_ run: Run) -> JSONObject {
        var object = JSONObject()
        object.int("id", run.id)
        object.string("command", run.command)
        object.time("started_at", run.startedAt)
        object.optional("ended_at", run.endedAt)
        object.optional("outcome", run.outcome?.rawValue)
        object.array("resources", run.resources.map(resource))
        return object
    }
}

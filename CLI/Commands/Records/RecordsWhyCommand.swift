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
        var object = JSONObject()
        object.string("resource", provenance.resource)
        object.string("key", provenance.key)
        object.string("cause", provenance.cause.rawValue)
        if let run = provenance.run { members(of: run, into: &object) }
        if let request = provenance.request { object.object("request") { members(of: request, into: &$0) } }
        object.time("first_seen_at", provenance.firstSeenAt)
        object.time("changed_at", provenance.changedAt)
        let known = provenance.confirmation
        object.optional("confirmed_at", known.confirmedAt)
        object.optional("page_answered_at", known.pageAnsweredAt)
        object.optional("page_status", known.pageStatus)
        object.optional("listing_completed_at", known.listingCompletedAt)
        if let run = known.listingRun { object.int("listing_run", run) }
        if !provenance.edits.isEmpty { object.array("edits", provenance.edits.map(edit)) }
        object.optional("undeleted_at", provenance.undeletedAt)
        guard let deletion = provenance.deletion else { return object }
        object.object("deleted") { object in
            object.time("at", deletion.at)
            object.string("cause", deletion.cause.rawValue)
            if let run = deletion.run { members(of: run, into: &object) }
            object.optional("entry", deletion.entry)
        }
        return object
    }

    private static func members(of run: RecordProvenance.RunNote, into object: inout JSONObject) {
        object.int("run", run.id)
        object.optional("command", run.command)
        object.optional("started_at", run.startedAt)
    }

    private static func members(of request: RecordProvenance.Request, into object: inout JSONObject) {
        object.string("method", request.method)
        object.string("url", request.url)
        object.optional("scope", request.scope)
        object.optional("page", request.page)
        object.optional("status", request.status)
        object.optional("etag", request.etag)
        object.optional("last_modified", request.lastModified)
        object.time("at", request.at)
        object.optional("entry", request.entry)
    }

    private static func edit(_ edit: RecordProvenance.Edit) -> JSONObject {
        var object = JSONObject()
        object.string("entry", edit.entry)
        object.string("state", edit.state.rawValue)
        object.string("change", edit.change)
        object.time("created_at", edit.createdAt)
        return object
    }
}

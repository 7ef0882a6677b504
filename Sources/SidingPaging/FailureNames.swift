// SPDX-License-Identifier: Apache-2.0
/// The folded names by which origins say in a success that something failed, was done in part, or that all is well.
enum FailureNames {
    static let errors: Set<String> = ["error", "errors", "exception", "exceptions", "fault", "faults"]
    static let errorsBesideList = errors.union([
        "err", "errcode", "errno", "errmsg", "errorcode", "errormessage", "errormessages", "errormsg",
        "errordescription", "errordetail", "errordetails", "errortext", "failurereason", "partialfailureerror",
        "odataerror", "validationerrors", "fielderrors", "usererrors",
    ])
    /// What stands for no error in such a member.
    static let noErrors: Set<String> = [
        "ok", "success", "successful", "succeeded", "none", "noerror", "noerrors", "false",
    ]
    static let flags: Set<String> = [
        "timedout", "terminatedearly", "incompleteresults", "partialresults", "haspartialresults", "partialresult",
    ]
    /// False if more is still to come.
    static let wholes: Set<String> = ["complete", "iscomplete", "allcomplete"]
    static let failedParts: Set<String> = ["failednodes", "failedshards", "shardsfailed"]
    static let failedCounts: Set<String> = [
        "numfailed", "failedcount", "numberfailed", "failedentrycount", "failedrecordcount", "failedputcount",
    ]
    static let tallies: Set<String> = ["succeeded", "success", "successful", "successes"]
    static let errorFlags: Set<String> = ["haserror", "haserrors", "iserror"]
    /// What is true of a whole answer.
    static let successes: Set<String> = [
        "success", "issuccess", "issuccessful", "successful", "succeeded", "ok", "isok", "jobcomplete",
    ]
    /// Members by which an object is a record.
    static let identities: Set<String> = ["id", "uuid", "key", "slug", "name"]
    /// Members by which it may be one, beside those that end with "id".
    static let otherIdentities: Set<String> = ["pk", "number", "url", "self", "href", "uri"]
    /// How the names of ids begin that belong to the request.
    static let ofRequest = [
        "request", "trace", "correlation", "error", "log", "transaction", "valid", "invalid", "reference",
    ]
    /// Members with a state, or with a status code.
    static let states: Set<String> = [
        "status", "state", "stat", "result", "outcome", "responsestatus", "resultstatus", "resultcode", "returncode",
        "responsecode",
    ]
    static let codes: Set<String> = [
        "status", "code", "statuscode", "httpstatus", "httpcode", "httpstatuscode",
    ]
    static let errorCodes: Set<String> = ["errno", "errcode", "errorcode"]
    static let refusedStates: Set<String> = ["error", "fail", "failed", "failure", "ko", "nok", "notok"]
    static let failedStates = refusedStates.union([
        "incomplete", "degraded", "unavailable", "timeout", "timedout",
    ])
    /// Of an answer that is not there yet, or of the parent of a list.
    static let openStates: Set<String> = [
        "processing", "inprogress", "notready", "initializing", "rebuilding",
    ]
    /// How the names of lists begin that hold the entries of a batch that were not carried out.
    static let ofFailedEntries = [
        "failed", "failure", "unprocessed", "rejected", "notprocessed", "notinserted", "notcreated", "notupdated",
        "notdestroyed",
    ]
    /// Objects that hold such entries.
    static let unprocessed: Set<String> = [
        "unprocesseditems", "unprocessedkeys", "faileditems", "failedentries", "failed", "notcreated", "notupdated",
        "notdestroyed", "partialfailureerror",
    ]
    /// The same beside the records of a page.
    static let notRead: Set<String> = ["unprocesseditems", "unprocessedkeys", "partialfailureerror"]
    /// How the names of lists begin and end that hold the parts of an origin that did not answer: `unavailable_regions`.
    static let outOfReach = ["unreachable", "unavailable"]
    static let partsOfOrigin = ["regions", "shards", "nodes", "servers", "partitions", "zones"]
    /// Numbers of such entries; also those that begin so and end with a word for entries.
    static let failedNumbers: Set<String> = [
        "failed", "failure", "failures", "rejected", "unprocessed", "errorcount", "errorscount",
    ]
    static let entryWords = ["count", "records", "entries", "items", "rows", "spans", "metrics", "documents"]
    /// What the names of numbers and lists have in them that say what was done.
    static let doneWords = [
        "created", "updated", "inserted", "processed", "succeeded", "success", "accepted", "deleted", "imported",
        "saved",
    ]
    /// How the names of ids begin that belong to the batch, not to a record.
    static let ofBatch = ["batch", "job", "import", "operation", "task", "bulk"]
    static let failedEntryStates = refusedStates.union(["rejected", "denied", "invalid", "conflict"])
    /// Members of an answer that only says how it went, beside ids, flags, states and errors.
    static let messages: Set<String> = ["message", "msg", "reason", "detail", "details"]
    static let ofAnswers: Set<String> = ["jsonrpc", "timestamp", "time"]

    /// Whether a member of this name says which record its object is: `id`, `dag_run_id`, `url`; not `request_id`.
    static func isIdentity(_ name: String) -> Bool {
        identities.contains(name) || otherIdentities.contains(name)
            // `bId` is that of an entry of a batch (QuickBooks).
            || (name != "bid" && name.hasSuffix("id") && !ofRequest.contains(where: name.hasPrefix))
    }
    static let adjectives: Set<String> = ["incomplete", "isincomplete", "partial", "ispartial"]
    /// The same, but for what may be a state of the parent at the root.
    static let heldAdjectives: Set<String> = ["degraded", "isdegraded"]
}

extension EnvelopeScalar {
    /// Whether it stands for no error in the place of one: false, 0, "", "none".
    var saysNoError: Bool {
        switch self {
        case .text(let text):
            text.allSatisfy { $0.isWhitespace || $0 == "0" } || FailureNames.noErrors.contains(ExtentName.folded(text))
        case .number: wholeNumber == 0
        case .bool(let truth): !truth
        case .structure: false
        }
    }
}

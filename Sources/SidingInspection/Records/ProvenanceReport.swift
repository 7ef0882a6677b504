// SPDX-License-Identifier: Apache-2.0
package import Siding
package import SidingChain

/// A record's provenance in words, one fact per line.
package struct ProvenanceReport {
    let provenance: RecordProvenance
    let format: MessageFormat

    package init(_ provenance: RecordProvenance, _ format: MessageFormat) {
        (self.provenance, self.format) = (provenance, format)
    }

    package typealias Line = (name: String, text: String)

    package var lines: [Line] {
        [("record", "\(provenance.resource) \(provenance.key)")] + deletion + origin + times + edits
    }

    private var origin: [Line] {
        var lines: [Line] = [("came from", cause)]
        if let request = provenance.request {
            lines.append(("request", "\(request.method) \(request.url)"))
            if let scope = request.scope { lines.append(("asked for", "the listing of the parent '\(scope)'")) }
            if let page = request.page { lines.append(("page", String(page))) }
            let validators =
                [request.etag.map { "ETag \($0)" }, request.lastModified.map { "Last-Modified \($0)" }].compactMap(
                    \.self)
            let status = request.status.map { ["status \($0)"] } ?? []
            let answer = status + (validators.isEmpty ? ["no validators"] : validators)
            if provenance.cause != .quarantine { lines.append(("answer", answer.joined(separator: ", "))) }
            lines.append((provenance.cause == .quarantine ? "last sent" : "saved", format.time(request.at)))
        }
        if let run = provenance.run { lines.append(("run", text(run))) }
        return lines
    }

    private var cause: String {
        let entry = provenance.request?.entry.map { String($0.prefix(8)) } ?? ""
        return switch provenance.cause {
        case .page: "a page of a listing"
        case .write where provenance.request?.method == "GET":
            "a GET that asked about your own write \(entry): 'siding queue show \(entry)'"
        case .write: "the answer to your own write \(entry): 'siding queue show \(entry)'"
        case .quarantine: "a page, by way of the quarantine"
        case .local: "saved by a program, without a request to the origin"
        case .edit: "only your own edit; the origin has not shown it yet"
        }
    }

    private var times: [Line] {
        let known = provenance.confirmation
        var lines: [Line] = [
            ("first seen", format.time(provenance.firstSeenAt)), ("last changed", format.time(provenance.changedAt)),
        ]
        if let at = known.confirmedAt {
            let how = known.pageStatus == 304 ? "its page is unchanged (304)" : "its page has the same validator"
            lines.append(("confirmed", "\(format.time(at)): \(how)"))
        } else if let at = known.pageAnsweredAt {
            let status = known.pageStatus.map { " (\($0))" } ?? ""
            let state = known.isMissing || known.isUnknown ? "" : "; the record was unchanged"
            lines.append(("page", "last answered \(format.time(at))\(status)\(state)"))
        }
        if let at = known.listingCompletedAt {
            let run = known.listingRun.map { ", run \($0)" } ?? ""
            let state =
                known.isMissing
                ? "it did not contain the record"
                : known.isUnknown ? "it is not known whether it contained the record" : "the record was unchanged"
            lines.append(("listing", "last complete \(format.time(at))\(run); \(state)"))
        }
        if known.isMissing { lines.append(("missing", missing)) }
        if known.isUnknown {
            lines.append(
                (
                    "missing",
                    "from its listing; it is kept, as not all records of the listings are known"
                ))
        }
        return lines
    }

    /// What becomes of a record that the last complete listing did not contain.
    private var missing: String {
        let known = provenance.confirmation
        guard let passes = known.missingPasses, let needed = known.passesNeeded else {
            return "not counted for deletion by any listing; without 'deletes: { detect: complete_listing }' it stays"
        }
        if passes >= needed {
            let listings = MessageFormat.count(passes, "complete listing")
            return
                "from \(listings) in a row, which is enough to delete it: 'siding sync \(provenance.resource)' says why it "
                + "is kept"
        }
        return "\(passes) of \(needed) complete listings in a row did not contain it; deleted after the last of them"
    }

    private var edits: [Line] {
        provenance.edits.map { edit in
            (
                "edit",
                "\(edit.change) of your own, \(edit.entry.prefix(8)), \(edit.state.rawValue), made \(format.time(edit.createdAt))"
            )
        }
    }

    private var deletion: [Line] {
        guard let deletion = provenance.deletion else {
            return provenance.undeletedAt.map { at in
                [
                    (
                        "lives again",
                        "\(format.time(at)): it was deleted, and that was taken back ('siding records undelete')"
                    )
                ]
            } ?? []
        }
        let entry = deletion.entry.map { String($0.prefix(8)) } ?? ""
        let why =
            switch deletion.cause {
            case .write: "the origin carried out your own delete \(entry)"
            case .edit: "your own delete \(entry), which the origin has not answered yet"
            case .local: "a program deleted it here; the origin was not asked"
            case .condition: deletion.run.map { "left out by 'where', in run \(text($0))" } ?? ""
            case .run: deletion.run.map { "found missing by run \(text($0))" } ?? ""
            case .neverThere: "the origin never had it under this key"
            }
        return [("deleted", "\(format.time(deletion.at)): \(why)")]
    }

    private func text(_ run: RecordProvenance.RunNote) -> String {
        let command = run.command.map { " (\($0))" } ?? ""
        let time = run.startedAt.map { ", begun \(format.time($0))" } ?? ""
        return "\(run.id)\(command)\(time)"
    }
}

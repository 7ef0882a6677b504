// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
package import Siding
package import SidingChain

/// A queue entry in words, for a line of a list and for a screen of its own.
package struct EntryText {
    package let entry: QueueEntry
    private let format: MessageFormat
    private let gate: SourceGate?

    /// - Parameter gates: the closed gates of sources; an entry that is due waits for that of its source.
    package init(_ entry: QueueEntry, _ format: MessageFormat, gates: [SourceGate] = []) {
        (self.entry, self.format) = (entry, format)
        gate = gates.closed(entry.source, at: format.now)
    }

    /// `queued`, `parked: conflict`, `sending: its sender died`
    package var state: String {
        entry.hasDeadSender ? "\(entry.state.rawValue): its sender died" : entry.state.text(entry.reason)
    }

    /// When it is tried next, or what it waits for.
    package var next: String {
        switch entry.state {
        case .queued where entry.waitsOn > 0: "after \(entry.waitsOn)"
        case .queued where !entry.isHead: "in its lane"
        case .queued where gate?.reason == .signIn && gate?.until == nil: "after a sign-in"
        case .queued:
            // A wait from before the clock was set back is over, see `isDue`.
            [entry.isDue(at: format.now) ? nil : entry.nextAttemptAt, gate?.until].compactMap(\.self)
                .filter { $0 > format.now }.max().map(format.next) ?? "due"
        case .sending: entry.hasDeadSender ? "next run" : "now"
        case .parked: "parked: \(entry.reason?.rawValue ?? "")"
        case .done, .dropped: entry.state.rawValue
        }
    }

    /// `*` being sent, `h` held, `?` may have arrived, `!` parked for another reason.
    package var mark: String {
        switch entry.state {
        case .sending where entry.hasDeadSender: entry.mayHaveArrived ? "?" : ""
        case .sending: "*"
        case .parked where entry.unknownSince != nil: "?"
        case .parked: Self.mark(entry.reason)
        case .queued, .done, .dropped: entry.unknownSince == nil ? "" : "?"
        }
    }

    private static func mark(_ reason: ParkReason?) -> String {
        switch reason {
        case .held: "h"
        case .uncertain: "?"
        default: "!"
        }
    }

    /// The resource, or else the lane that a write shares with others.
    package var subject: String { entry.resource ?? lane }

    /// Empty if the lane is the entry's own.
    private var lane: String { entry.isAloneInLane ? "" : entry.lane }

    package var request: String { "\(entry.method) \(entry.url)" }

    /// The last error without the request, which is shown beside it.
    package var lastError: String {
        entry.lastError?.message.replacing(" (\(request))", with: "") ?? ""
    }

    package typealias Line = (name: String, text: String)

    /// What is known of the entry, one fact per line; empty texts are left out.
    package func lines(_ content: WriteContent?) -> [Line] {
        let lines: [Line] = [
            ("id", entry.id), ("kind", entry.kind.rawValue), ("state", state), ("request", request),
            ("resource", entry.resource ?? ""), ("source", entry.source), ("since", format.time(entry.createdAt)),
            ("tries", String(entry.tries)),
        ]
        return (lines + (content.map(linesOfWrite) ?? [])).filter { !$0.text.isEmpty }
    }

    /// The facts that only writes have.
    private func linesOfWrite(_ content: WriteContent) -> [Line] {
        let behind = content.head.flatMap { $0 == entry.id || entry.state.isCompleted ? nil : $0 }
        let key = content.keyField.map { "\($0): \(content.key)\(content.isKeyed ? ", which the origin honours" : "")" }
        let answer = content.answer.map { answer in
            let text = String(decoding: answer.body.prefix(2_000), as: UTF8.self)
            return "\(answer.status) \(text)"
        }
        let certainty = entry.mayHaveArrived ? "may have arrived " : ""
        return [
            ("write", entry.operation ?? ""), ("lane", lane),
            ("behind", behind.map { String($0.prefix(8)) } ?? ""),
            ("after", content.parents.map { String($0.prefix(8)) }.joined(separator: ", ")), ("key", key ?? ""),
            ("headers", content.headerFields.map { "\($0.name): \($0.value)" }.joined(separator: ", ")),
            ("if-match", content.lacksETag ? "none, as no strong ETag of the record is known" : ""),
            ("sent", entry.firstSentAt.map { certainty + format.time($0) } ?? ""), ("answer", answer ?? ""),
            ("probe", content.probe.map { "GET \($0) finds out whether it arrived" } ?? ""),
        ]
    }
}

extension QueueEntry.State {
    /// `queued`, `parked: conflict`
    package func text(_ reason: ParkReason?) -> String { reason.map { "\(rawValue): \($0.rawValue)" } ?? rawValue }
}

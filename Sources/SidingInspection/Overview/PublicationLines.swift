// SPDX-License-Identifier: Apache-2.0
package import Siding
package import SidingChain
internal import SidingJSON

/// A target in words: its state, why, and what else there is to say, as of a resource.
extension PublicationState {
    /// `failing`, `waiting`, `behind`, `not published` or `up to date`.
    package var word: String {
        if let (_, failure) = refusal ?? failures.first { return Self.word(failure) }
        if behind > 0 { return publishedAt == nil ? "not published" : "behind" }
        return "up to date"
    }

    /// A hub that cannot be reached costs nothing but time.
    private static func word(_ failure: Publication.Failure) -> String { failure.isTransient ? "waiting" : "failing" }

    /// `target fleet: 12 records behind, the oldest for 40 s; published 2 min ago`, with a line for each failure and its hint
    package func lines(_ format: MessageFormat) -> [String] {
        let subject = "target \(target.name)"
        return failures.reduce(into: ["\(subject): \(summary(format))"]) { lines, entry in
            let place = entry.resource.map { "\(subject), \($0)" } ?? subject
            lines.append("\(place): \(Self.line(entry.failure, format))")
            if let hint = entry.failure.error.hint { lines.append("  \(PlainText.oneLine(hint, limit: 500))") }
        }
    }

    /// `12 records behind, the oldest for 40 s; published 2 min ago`
    package func summary(_ format: MessageFormat) -> String {
        var lag = "up to date"
        if behind > 0 {
            lag = MessageFormat.count(behind, "record behind", plural: "records behind")
            if let oldestChangeAt { lag += ", the oldest \(format.span(since: oldestChangeAt))" }
        }
        return "\(lag); \(publishedAt.map { "published \(format.time($0))" } ?? "never published")"
    }

    /// `failing for 3 h: the hub refused it`
    package static func line(_ failure: Publication.Failure, _ format: MessageFormat) -> String {
        let since = format.span(since: Timestamp(microseconds: failure.since))
        return "\(word(failure)) \(since): \(PlainText.oneLine(failure.error.message, limit: 500))"
    }
}

// SPDX-License-Identifier: Apache-2.0
import SidingCredentials
import Foundation
import SidingChain
import Testing

@testable import Siding

/// The numbers of trying again, as `Docs/Queue.md` shows them.
@Suite struct RetryRulesTests {
    private static let numbers: [(what: String, number: String)] = [
        ("attempts for a host that does not exist", "\(RetryRules.unknownHostAttempts)"),
        ("attempts for an answer that cannot be read", "\(RetryRules.unreadableAnswerAttempts)"),
        ("attempts after a 403 that speaks of a limit", "\(RetryRules.limitedRefusalAttempts)"),
        ("attempts after 409 to a key that was sent before", "\(RetryRules.keyedConflictAttempts)"),
        ("attempts for an edit in conflict", "\(RetryRules.conflictAttempts)"),
        (
            "attempts for an edit in conflict whose record cannot be fetched",
            "\(RetryRules.unfetchedRecordAttempts)"
        ),
        ("first wait of an edit in conflict", text(RetryRules.conflictBackoff.base)),
        ("deaths of its sender", "\(RetryRules.crashes)"),
        ("least wait for an untrusted certificate, or an origin without storage", text(RetryRules.repairWait)),
        ("wait that an origin does not specify", text(RetryRules.unspecifiedWait)),
        ("least wait", text(RetryRules.leastWait)),
        ("longest wait", text(RetryRules.longestWait)),
        ("failures in a row that close the gate", "\(RetryRules.breakerLimit)"),
        ("first wait of the gate", text(RetryRules.breakerBackoff.base)),
        ("one probe of a closed gate per", text(RetryRules.probeWindow)),
        ("requests at once when the gate opens", "\(RetryRules.slowStart)"),
        ("wait for a rate limit", text(RetryRules.rateLimitWait)),
        ("wait of `send` for a rate limit", text(RetryRules.rateLimitWaitOfOne)),
        ("parents in a row that fail and end a fan-out", "\(RetryRules.failedParents)"),
        ("lost connections of one parent before it counts as failing", "\(RetryRules.lostLineAttempts)"),
        ("records in a row without an answer that end a verification", "\(RetryRules.unansweredRecords)"),
        ("time until a record is verified again", text(RetryRules.verificationInterval)),
        ("releases of a source with the same credentials", "\(RetryRules.credentials.sameAttempts)"),
        ("releases of a source with other credentials per hour", "\(RetryRules.credentials.others)"),
        (
            "tries of a failed resource with other credentials before its schedule",
            "\(RetryRules.credentialsPerSchedule.others)"
        ),
        ("wait of a resource that a service could not sync", text(RetryRules.failedSyncWait)),
        ("first wait of a hook that failed", text(RetryRules.hookBackoff.base)),
        ("pause between two checks of `queue run --watch`", text(RetryRules.watchInterval)),
        ("pause between two checks of a service", text(RetryRules.serviceInterval)),
        ("time for the answer to a write when a sender stops", text(RetryRules.stopWait)),
    ]

    private static func text(_ duration: Duration) -> String { DurationText.text(duration) }

    /// The first two cells of each row of the table.
    private static func table() throws -> [String: String] {
        let document = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Docs/Queue.md").standardized
        let lines = try String(contentsOf: document, encoding: .utf8).split(separator: "\n")
        let title = try #require(lines.firstIndex(of: "### The numbers"))
        let rows = lines[title...].dropFirst().drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }.dropFirst(2)
        return Dictionary(
            uniqueKeysWithValues: rows.map { row in
                let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                return (cells[0], cells[1])
            })
    }

    @Test func `the table of the document has the numbers of the code`() throws {
        let table = try Self.table()
        #expect(Set(table.keys) == Set(Self.numbers.map(\.what)))
        for (what, number) in Self.numbers { #expect(table[what] == number, "\(what)") }
    }
}

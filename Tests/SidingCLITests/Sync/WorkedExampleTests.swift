// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingOrigin
import Testing

/// The worked example of deletions in Docs/Config.md: its config, its steps and what it says of them.
@Suite struct WorkedExampleTests {
    /// The config of the example, for an origin at `url`.
    private static func config(_ url: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        let document = try String(contentsOf: root.appending(path: "Docs/Config.md"), encoding: .utf8)
        let heading = try #require(document.range(of: "#### A worked example\n"))
        let block = try #require(document[heading.upperBound...].firstMatch(of: /```yaml\n((?:(?!```).*\n)*)```/))
        return String(block.1.replacing("https://api.example.com", with: url))
    }

    private static func issue(_ number: Int) -> Dataset.Record {
        Dataset.Record(key: String(number), json: #"{"id":\#(number)}"#)
    }

    /// Passes and passes needed of the missing records, each pair with the number of records: `1|3|1`.
    private static func missing(_ sandbox: Sandbox) async throws -> String {
        try await sandbox.sqlite(
            sandbox.file("issues.db"),
            "SELECT passes, needed, COUNT(*) FROM siding_missing WHERE passes IS NOT NULL GROUP BY 1, 2"
        ).output.trimmingCharacters(in: .newlines)
    }

    @Test func `the worked example of deletions works as the reference says`() async throws {
        let issues = Dataset((1...240).map(Self.issue))
        let origin = try await Origin.start(routes: [
            RecordListing("/issues", of: issues, paging: .page(), sizeParameter: "per_page")
        ])
        let sandbox = try Sandbox()
        try sandbox.config(try Self.config(origin.url.origin))
        let check = try await sandbox.siding("check").everything.split(whereSeparator: \.isWhitespace)
        #expect(check.joined(separator: " ").contains("records move between numbered pages while others come and go"))
        #expect(try await sandbox.siding("sync", "--json").object()["inserted"] == .number(240))

        // 1 and 2: a record that moved to the page before makes three passes necessary.
        issues.remove("7")
        for missing in ["1|3|1", "2|3|1"] {
            #expect(try await sandbox.siding("sync", "--json").object()["deleted"] == .number(0))
            #expect(try await Self.missing(sandbox) == missing)
            #expect(try await sandbox.count("issues") == 240)
        }
        #expect(try await sandbox.siding("sync", "--json").object()["deleted"] == .number(1))
        #expect(try await sandbox.count("issues") == 239)

        // 3: the guard blocks from the second night on.
        for number in 4...240 { issues.remove(String(number)) }
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await Self.missing(sandbox) == "1|2|236")
        for missing in ["2|2|236", "3|2|236"] {
            let night = try await sandbox.siding("sync")
            #expect(night.status == 4)
            #expect(night.error.contains("4, 5, 6, 8, 9, …"))
            #expect(try await Self.missing(sandbox) == missing)
            #expect(try await sandbox.count("issues") == 239)
        }

        // 4: accepted once.
        #expect(try await sandbox.siding("sync", "issues", "--accept-deletes").status == 0)
        #expect(try await sandbox.count("issues") == 3)

        // 5: restored records do not count as missing.
        let runs = try await sandbox.siding("runs", "list", "--json").objects()
        let run = try #require(runs.first { $0["command"] == .string("sync --accept-deletes issues") }?["id"]?.int)
        #expect(try await sandbox.siding("records", "undelete", String(run)).status == 0)
        for _ in 0..<3 { #expect(try await sandbox.siding("sync").status == 0) }
        #expect(try await sandbox.count("issues") == 239)
        #expect(try await Self.missing(sandbox) == "")
        await origin.stop()
    }
}

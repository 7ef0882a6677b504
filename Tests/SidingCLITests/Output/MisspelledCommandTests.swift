// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SidingCLI

@Suite(.serialized)
struct MisspelledCommandTests {
    @Test(
        arguments: [
            (["syncc"], "sync"), (["snyc", "items"], "sync"), (["querry", "SELECT 1"], "query"), (["Status"], "status"),
            (["queue", "lsit"], "list"), (["records", "cuont", "items"], "count"), (["--licenses", "plam"], "plan"),
            (["frobnicate"], nil), (["sync", "itens"], nil), (["query", "queue"], nil), ([], nil), (["queue"], nil),
        ] as [([String], String?)])
    func `the nearest subcommand is suggested where there is one`(_ arguments: [String], _ suggestion: String?) {
        #expect(MisspelledCommand.suggestion(for: arguments) == suggestion)
    }

    @Test func `a mistyped command exits 64 with a suggestion`() async throws {
        let sandbox = try Sandbox()
        for (arguments, suggestion) in [(["syncc"], "sync"), (["queue", "lits"], "list"), (["syncc", "a"], "sync")] {
            let words = try await sandbox.siding(arguments)
            #expect(words.status == 64 && words.output == "")
            #expect(words.error.contains("did you mean '\(suggestion)'?"), "\(words.error)")
            let object = try await sandbox.siding(arguments + ["--json"]).object()
            #expect(object["error"]?["hint"]?.string == "did you mean '\(suggestion)'?")
            #expect(object["error"]?["code"] == .number(64))
        }
        #expect(try await !sandbox.siding("frobnicate").error.contains("did you mean"))
    }
}

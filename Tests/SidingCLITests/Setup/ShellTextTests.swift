// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingOrigin
import Testing

@testable import SidingCLI

struct ShellTextTests {
    @Test(arguments: [
        ("two.yaml", "two.yaml"), ("two words", "'two words'"), ("it's", #"'it'\''s'"#), ("$HOME", "'$HOME'"),
        ("two\nlines", #"$'two\012lines'"#), ("it's\r\\n", #"$'it\047s\015\134n'"#),
        ("a\u{2028}b", #"$'a\342\200\250b'"#),
    ])
    func `a word is one line that a shell reads back`(_ text: String, _ word: String) async throws {
        #expect(ShellText.word(text) == word)
        let shown = try await Sandbox().run("/bin/bash", ["-c", "printf %s \(word)"])
        #expect(shown.output == text)
    }

    @Test func `a config whose name has a line break is one that can be read`() async throws {
        let origin = try await OriginGuard.bearer.start()
        let sandbox = try Sandbox()
        let name = "two\nversion: 9.yaml"
        let made = try await sandbox.siding("init", "-c", name, "\(origin.url.origin)/v2/users")
        #expect(made.status == 77 && made.error.contains(#"$'two\012version: 9.yaml'"#), "\(made.everything)")
        #expect(try await sandbox.siding("check", "-c", name, environment: OriginGuard.environment).status == 0)
        await origin.stop()
    }
}

// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SidingCLI

struct ProgramArgumentsTests {
    @Test(
        arguments: [
            ("siding\0", ["siding"]), ("siding\0sync\0\0--json\0", ["siding", "sync", "", "--json"]),
            ("siding\0two\nlines\0ü\0", ["siding", "two\nlines", "ü"]), ("", nil), ("cut", nil),
        ] as [(String, [String]?)])
    func `the kernel's form of the arguments is read back`(_ text: String, _ arguments: [String]?) {
        #expect(ProgramArguments.arguments(Array(text.utf8)) == arguments)
    }

    @Test func `a process knows its own arguments`() throws {
        #expect(try #require(ProgramArguments.words).isEmpty == (CommandLine.arguments.count < 2))
    }
}

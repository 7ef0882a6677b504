// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Testing

@testable import SidingCLI

/// Options that are called in two ways by different commands have both names in each.
@Suite struct OptionNameTests {
    @Test(arguments: ["--offline", "--no-send"]) func `sync and send know both names for sending nothing`(
        _ name: String
    ) throws {
        #expect(try #require(try SidingCommand.parseAsRoot(["sync", name]) as? SyncCommand).offline)
        #expect(
            try #require(try SidingCommand.parseAsRoot(["send", "POST", "a:/b", name]) as? SendCommand).noSend)
    }

    @Test(arguments: ["-d", "--data", "--body"]) func `send and queue edit know all names for a body`(
        _ name: String
    ) throws {
        let send = try SidingCommand.parseAsRoot(["send", "POST", "a:/b", name, "{}"])
        #expect(try #require(send as? SendCommand).data == "{}")
        let edit = try SidingCommand.parseAsRoot(["queue", "edit", "4xpxa9jj", name, "{}"])
        #expect(try #require(edit as? QueueEditCommand).body == "{}")
    }
}

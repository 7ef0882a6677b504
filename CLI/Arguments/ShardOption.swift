// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Siding
import SidingChain
import SidingJSON

/// `--shard`, else `$SIDING_SHARD`: the part of the fetching that this station has of several that share it.
struct ShardOption: ParsableArguments {
    private static let variable = "SIDING_SHARD"

    @Option(
        name: .customLong("shard"),
        help: ArgumentHelp(
            "Fetch only part I of N, from 1 to N, as one of N stations that share the fetching.", valueName: "i/n"))
    var text: String?

    func validate() throws {
        if let text { _ = try Self.read(text, of: "--shard") }
    }

    /// Nil for everything.
    ///
    /// - Throws: ``CommandError`` with code 64 if the environment has another text.
    func value(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> Shard? {
        if let text { return Shard(text) }
        return try Self.ofEnvironment(environment)
    }

    /// The shard of commands without the option.
    static func ofEnvironment(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> Shard? {
        guard let text = environment[variable], !text.isEmpty else { return nil }
        do { return try read(text, of: variable) } catch { throw CommandError.usage(error.message) }
    }

    private static func read(_ text: String, of name: String) throws(ValidationError) -> Shard {
        if let shard = Shard(text) { return shard }
        throw ValidationError(
            "\(name) takes I/N with I from 1 to N, such as 2/4, and got '\(PlainText.oneLine(text, limit: 40))'.")
    }
}

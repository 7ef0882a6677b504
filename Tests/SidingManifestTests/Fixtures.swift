// SPDX-License-Identifier: Apache-2.0
import SidingManifest
import Testing

/// A configuration as tests write it: named siding.yaml, in a directory and with a home of its own.
enum Fixture {
    static let environment = ConfigEnvironment(
        variables: ["TOKEN": "canary-token-value"], workingDirectory: "/srv/app", home: "/home/ada")

    static func parse(_ text: String) throws(ConfigError) -> Config {
        try Config.parse(text, file: "siding.yaml", environment: environment)
    }

    /// The faults of `text` as a person sees them; empty where there are none.
    static func faults(_ text: String) -> [String] {
        do {
            _ = try parse(text)
            return []
        } catch {
            return error.description.split(separator: "\n").map(String.init)
        }
    }
}

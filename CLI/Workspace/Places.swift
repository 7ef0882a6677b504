// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Finds the config, the database and the credentials (XDG Base Directory Specification).
struct Places {
    let environment: [String: String]

    /// The config file: `--config`, `$SIDING_CONFIG`, `./siding.yaml`, the user's or the machine's, in this order.
    ///
    /// - Throws: ``CommandError`` with code 78 if there is none.
    func config(given: String?) throws -> String {
        if let path = given ?? value("SIDING_CONFIG") { return path }
        let candidates = [
            "siding.yaml", configHome.map { "\($0)/siding/siding.yaml" }, "/etc/siding/siding.yaml",
        ].compactMap(\.self)
        if let found = candidates.first(where: { FileManager.default.fileExists(atPath: $0) }) { return found }
        throw CommandError(
            .config, "config", "no config was found: looked for \(candidates.joined(separator: ", "))",
            hint: "'siding init' writes one that works; --config names another")
    }

    /// The database path if the config has none: in `$STATE_DIRECTORY`, else in the user's state directory.
    func defaultDatabase() throws -> String { "\(try stateDirectory())/siding.db" }

    /// The directory of kept tokens: in the state directory, or beside the database if the config sets its path, so that two
    /// configs with equal source names do not share tokens.
    func credentials(ofDatabase path: String?) throws -> String {
        try path.map { "\($0).credentials" } ?? "\(stateDirectory())/credentials"
    }

    private func stateDirectory() throws -> String {
        // systemd separates several directories by colons (systemd.exec(5)); the first one is used.
        if let directory = value("STATE_DIRECTORY")?.split(separator: ":").first { return String(directory) }
        if let home = value("XDG_STATE_HOME") { return "\(home)/siding" }
        if let home = value("HOME") { return "\(home)/.local/state/siding" }
        throw CommandError(
            .config, "config", "HOME is not set, so the database has no place",
            hint: "set database.path in the config, or STATE_DIRECTORY")
    }

    private var configHome: String? {
        value("XDG_CONFIG_HOME") ?? value("HOME").map { "\($0)/.config" }
    }

    private func value(_ name: String) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}

import Foundation

/// Where config and state are looked for (XDG Base Directory Specification).
struct Places {
    let environment: [String: String]

    /// The config file: `--config`, `$SIDING_CONFIG`, `./siding.yaml`, the user's, the machine's.
    ///
    /// - Throws: ``CommandError`` with code 78 where none is found.
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

    /// The database where the config names none: in `$STATE_DIRECTORY`, else the user's state directory.
    func defaultDatabase() throws -> String { "\(try stateDirectory())/siding.db" }

    /// The tokens of sources that sign in: with the state, or beside a database that the config puts elsewhere, so that
    /// two configs which name a source alike do not take each other's.
    func credentials(ofDatabase path: String?) throws -> String {
        try path.map { "\($0).credentials" } ?? "\(stateDirectory())/credentials"
    }

    private func stateDirectory() throws -> String {
        // systemd gives several directories separated by colons (systemd.exec(5)); the first is ours.
        if let directory = value("STATE_DIRECTORY")?.split(separator: ":").first { return String(directory) }
        if let home = value("XDG_STATE_HOME") { return "\(home)/siding" }
        if let home = value("HOME") { return "\(home)/.local/state/siding" }
        throw CommandError(
            .config, "config", "there is no HOME, so there is no place for the database",
            hint: "set database.path in the config, or STATE_DIRECTORY")
    }

    private var configHome: String? {
        value("XDG_CONFIG_HOME") ?? value("HOME").map { "\($0)/.config" }
    }

    private func value(_ name: String) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}

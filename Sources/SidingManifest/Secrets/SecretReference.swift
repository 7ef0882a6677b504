// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingCredentials
internal import SidingNotifications

/// The location of a secret, which is read only when a request needs it.
enum SecretReference: Sendable, Hashable {
    case environment(String)
    /// `path` is absolute, `shown` is as written in the config.
    case file(path: String, shown: String)
    case command(Program)

    /// The location as a message: `env TRACKER_TOKEN`, `file /run/credentials/tracker`, `command vault`.
    var description: String {
        switch self {
        case .environment(let name): "env \(name)"
        case .file(_, let shown): "file \(shown)"
        // Without its arguments, which may contain secrets.
        case .command(let program): "command \(program.shortName)"
        }
    }

    /// A secret that is read from this location at each use.
    ///
    /// - Parameter emptiness: the message for an empty secret, see ``Reading/emptiness``.
    func secret(_ environment: ConfigEnvironment, emptiness: String) -> Secret {
        Secret(
            description, emptiness: emptiness,
            absence: { await absence(environment, emptiness: emptiness) }
        ) { try await read(environment) }
    }

    /// Reads the secret's value.
    func read(_ environment: ConfigEnvironment) async throws(SecretError) -> String {
        switch self {
        case .environment(let name): try Self.variable(name, environment)
        case .file(let path, _): try SecretText.decode(Self.contents(path))
        case .command(let program): try await program.secret(environment)
        }
    }

    /// Why the secret cannot be read, as far as known without running a program; nil if it can.
    func absence(_ environment: ConfigEnvironment, emptiness: String) async -> String? {
        switch self {
        case .environment, .file:
            do { return try await read(environment).isEmpty ? emptiness : nil } catch { return error.reason }
        case .command(let program):
            do { try await program.locate(environment.variables()) } catch { return error.reason }
            return nil
        }
    }

    private static func variable(_ name: String, _ environment: ConfigEnvironment) throws(SecretError) -> String {
        guard let value = environment.variables()[name] else {
            throw SecretError(reason: "the environment variable \(name) is not set")
        }
        return value
    }

    private static func contents(_ path: String) throws(SecretError) -> [UInt8] {
        do {
            return try BoundedFile(path: path, limit: SecretText.limit).read()
        } catch {
            throw SecretError(reason: "the file \(error.reason)")
        }
    }
}

/// Decodes secrets from files and programs.
enum SecretText {
    /// The maximum length in bytes; no credential is longer.
    static let limit = 65_536

    /// The text without one trailing line break, which editors and programs add.
    static func decode(_ bytes: [UInt8]) throws(SecretError) -> String {
        var bytes = bytes[...]
        if bytes.last == 0x0A { bytes.removeLast() }
        if bytes.last == 0x0D { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw SecretError(reason: "it is not UTF-8 text")
        }
        return text
    }
}

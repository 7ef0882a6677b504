internal import Siding
internal import SidingCredentials

/// Where a secret is to be found; read when a request needs it, never before.
enum SecretReference: Sendable, Hashable {
    case environment(String)
    /// `path` is absolute, `shown` is what the configuration says.
    case file(path: String, shown: String)
    case command(SecretCommand)

    /// For a person: `env TRACKER_TOKEN`, `file /run/credentials/tracker`, `command vault`.
    var description: String {
        switch self {
        case .environment(let name): "env \(name)"
        case .file(_, let shown): "file \(shown)"
        case .command(let command): "command \(command.name)"
        }
    }

    /// The secret that is read anew, here, each time.
    ///
    /// - Parameter emptiness: as of ``Reading/emptiness``.
    func secret(_ environment: ManifestEnvironment, emptiness: String) -> Secret {
        Secret(
            description, emptiness: emptiness,
            absence: { await absence(environment, emptiness: emptiness) }
        ) { try await read(environment) }
    }

    /// The secret's value.
    func read(_ environment: ManifestEnvironment) async throws(SecretError) -> String {
        switch self {
        case .environment(let name): try Self.variable(name, environment)
        case .file(let path, _): try SecretText.decode(Self.contents(path))
        case .command(let command): try await command.output(environment)
        }
    }

    /// Why the secret is not there, as far as can be seen without running a program; nil where it is.
    func absence(_ environment: ManifestEnvironment, emptiness: String) async -> String? {
        do {
            switch self {
            case .environment, .file:
                let isEmpty = try await read(environment).isEmpty
                return isEmpty ? emptiness : nil
            case .command(let command):
                try await command.locate(environment)
                return nil
            }
        } catch {
            return error.reason
        }
    }

    private static func variable(_ name: String, _ environment: ManifestEnvironment) throws(SecretError) -> String {
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

/// The text of a secret from a file or a program.
enum SecretText {
    /// In bytes; no credential is longer.
    static let limit = 65_536

    /// The text less one trailing line break, which editors and programs add.
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

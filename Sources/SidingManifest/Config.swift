public import Siding

/// A valid config: the sources, what to fetch from them, and the writes.
public struct Config: Sendable {
    /// When a commit counts as durable (https://sqlite.org/pragma.html#pragma_synchronous).
    public enum Synchronous: String, Sendable, CaseIterable {
        /// It survives a power cut.
        case full
        /// It survives the end of the process.
        case normal
    }

    /// The path as given.
    public var file: String
    /// An absolute path; nil to use the program's state directory.
    public var databasePath: String?
    public var synchronous: Synchronous
    /// In file order.
    public var sources: [Source]
    /// In file order, each bound to its source.
    public var resources: [AnyResource]
    /// In file order, each bound to its source.
    package var writes: [WriteDeclaration]

    private let sourcePlaces: [String: Place]
    private let resourcePlaces: [String: Place]
    private let secrets: [SecretUse]
    private let environment: ConfigEnvironment

    /// The position of a resource's declaration; nil for an unknown name.
    public func place(ofResource name: String) -> Place? { resourcePlaces[name] }

    /// The position of a source's declaration; nil for an unknown name.
    public func place(ofSource name: String) -> Place? { sourcePlaces[name] }

    /// The secrets that cannot be read now: unset variables, files that are missing, unreadable or empty, and missing programs.
    /// Programs are not run, and faults contain no values.
    public func secretFaults() async -> [Fault] {
        var faults: [Fault] = []
        for use in secrets {
            guard let reason = await use.reference.absence(environment, emptiness: use.emptiness) else { continue }
            let message = "the secret \(use.reference.description) cannot be read: \(reason)"
            faults.append(Fault(place: use.place, message: message))
        }
        return faults.sorted { $0.place < $1.place }
    }

    /// The paths of the files that hold secrets.
    package var secretFiles: [String] {
        secrets.compactMap { use in if case .file(let path, _) = use.reference { path } else { nil } }
    }

    init(
        file: String, _ declaration: ConfigDeclaration, resources: [AnyResource], writes: [WriteDeclaration],
        _ reading: Reading
    ) {
        self.file = file
        databasePath = declaration.database.path
        synchronous = declaration.database.synchronous
        sources = declaration.namedSources
        self.resources = resources
        self.writes = writes
        sourcePlaces = Self.table(declaration.sources) { $0.place }
        resourcePlaces = Self.table(declaration.resources) { $0.place }
        secrets = reading.secrets
        environment = reading.environment
    }

    private static func table<Member, Value>(
        _ members: [NamedMember<Member>], _ value: (NamedMember<Member>) -> Value
    ) -> [String: Value] {
        Dictionary(members.map { ($0.name, value($0)) }) { first, _ in first }
    }
}

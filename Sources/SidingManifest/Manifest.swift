public import Siding

/// A configuration that was read and found without fault: which origins there are and what to fetch from them.
public struct Manifest: Sendable {
    /// How far a commit must have come before it counts (https://sqlite.org/pragma.html#pragma_synchronous).
    public enum Synchronous: String, Sendable, CaseIterable {
        /// Survives a power cut.
        case full
        /// Survives the end of the process.
        case normal
    }

    /// The path as it was given.
    public var file: String
    /// Absolute; nil where the configuration leaves it to the program's state directory.
    public var databasePath: String?
    public var synchronous: Synchronous
    /// In file order.
    public var sources: [Source]
    /// In file order, each with its source.
    public var resources: [AnyResource]
    /// In file order, each with its source.
    public var writes: [WriteDeclaration]

    private let sourcePlaces: [String: Place]
    private let resourcePlaces: [String: Place]
    private let secrets: [SecretUse]
    private let environment: ManifestEnvironment

    /// Where a resource is declared; nil for a name that the file does not have.
    public func place(ofResource name: String) -> Place? { resourcePlaces[name] }

    /// Where a source is declared; nil for a name that the file does not have.
    public func place(ofSource name: String) -> Place? { sourcePlaces[name] }

    /// The secrets that cannot be read as things stand: variables not set, files missing, unreadable or empty, programs
    /// that are not there. Programs are not run, and no value appears.
    public func secretFaults() async -> [Fault] {
        var faults: [Fault] = []
        for use in secrets {
            guard let reason = await use.reference.absence(environment, emptiness: use.emptiness) else { continue }
            let message = "the secret \(use.reference.description) cannot be read: \(reason)"
            faults.append(Fault(place: use.place, message: message))
        }
        return faults.sorted { $0.place < $1.place }
    }

    init(
        file: String, _ declaration: ManifestDeclaration, resources: [AnyResource], writes: [WriteDeclaration],
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

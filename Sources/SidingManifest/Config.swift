// SPDX-License-Identifier: Apache-2.0
public import Siding
package import SidingHub
package import SidingNotifications

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
    /// When a commit to the database counts as durable; `full` if the config does not say.
    public var synchronous: Synchronous
    /// How long runs, completed queue entries and deleted records are kept.
    public var keep: KeepRules
    /// In file order.
    public var sources: [Source]
    /// In file order, each bound to its source.
    public var resources: [AnyResource]
    /// In file order, each bound to its source.
    package var writes: [WriteDeclaration]
    /// In file order.
    package var hooks: [NotificationHook]
    /// In file order, each with the names of its resources.
    package var targets: [HubTarget]

    private let sourcePlaces: [String: Place]
    private let resourcePlaces: [String: Place]
    private let hookPlaces: [Place]
    private let targetPlaces: [String: Place]
    private let secrets: [SecretUse]
    private let hookSecrets: [SecretUse]
    private let targetSecrets: [SecretUse]
    private let environment: ConfigEnvironment

    /// The position of a resource's declaration; nil for an unknown name.
    package func place(ofResource name: String) -> Place? { resourcePlaces[name] }

    /// The position of a source's declaration; nil for an unknown name.
    package func place(ofSource name: String) -> Place? { sourcePlaces[name] }

    /// The position of a declaration in `publish:`; nil for an unknown name.
    package func place(ofTarget name: String) -> Place? { targetPlaces[name] }

    /// The secrets that cannot be read now: unset variables, files that are missing, unreadable or empty, and missing programs.
    /// Programs are not run, and faults contain no values.
    public func secretFaults() async -> [Fault] { await faults(of: secrets) }

    /// The secrets and the programs of hooks that are missing now: `siding check` shows them, and no sync fails for them.
    package func hookFaults() async -> [Fault] {
        var faults = await self.faults(of: hookSecrets)
        for (hook, place) in zip(hooks, hookPlaces) {
            guard case .command(let program) = hook.target else { continue }
            do { try await program.locate(environment.variables()) } catch {
                faults.append(Fault(place: place, message: "the hook cannot be run: \(error.reason)"))
            }
        }
        return faults.sorted { $0.place < $1.place }
    }

    /// The secrets of `publish:` that cannot be read now: `siding check` shows them, and no sync fails for them.
    package func targetFaults() async -> [Fault] { await faults(of: targetSecrets) }

    private func faults(of secrets: [SecretUse]) async -> [Fault] {
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
        (secrets + hookSecrets + targetSecrets).compactMap { use in
            if case .file(let path, _) = use.reference { path } else { nil }
        }
    }

    init(
        file: String, _ declaration: ConfigDeclaration, resources: [AnyResource], writes: [WriteDeclaration],
        targets: [HubTarget], _ reading: Reading
    ) {
        self.file = file
        databasePath = declaration.database.path
        synchronous = declaration.database.synchronous
        keep = declaration.keep
        sources = declaration.namedSources
        self.resources = resources
        self.writes = writes
        self.targets = targets
        hooks = declaration.hooks.map(\.value)
        hookPlaces = declaration.hooks.map(\.place)
        sourcePlaces = declaration.sources.placesByName()
        resourcePlaces = declaration.resources.placesByName()
        targetPlaces = declaration.targets.placesByName()
        secrets = reading.secrets
        hookSecrets = declaration.hookSecrets
        targetSecrets = declaration.targetSecrets
        environment = reading.environment
    }
}

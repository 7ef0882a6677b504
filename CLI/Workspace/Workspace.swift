// SPDX-License-Identifier: Apache-2.0
import Foundation
import Siding
import SidingChain
import SidingCredentials
import SidingJSON
import SidingManifest
import SidingNetwork

/// The config of a command and the database that belongs to it.
struct Workspace {
    let config: Config
    let databasePath: String
    /// The directory of the kept tokens.
    let credentials: String

    /// Loads the config named by the options, the environment or the default places.
    ///
    /// - Throws: ``CommandError`` with code 78.
    static func load(_ options: GlobalOptions, environment: [String: String] = ProcessInfo.processInfo.environment)
        throws -> Workspace
    {
        let places = Places(environment: environment)
        let path = try places.config(given: options.config)
        let config = try Config.load(path: path, environment: .process)
        return Workspace(
            config: config, databasePath: try config.databasePath ?? places.defaultDatabase(),
            credentials: try places.credentials(ofDatabase: config.databasePath))
    }

    /// Signs sources in over `transports`, with the kept tokens.
    func signIns(_ transports: any TransportFactory) -> SignIns {
        SignIns(directory: credentials, transports: transports, environment: RuntimeEnvironment())
    }

    func openStore(_ access: Store.Access) async throws -> Store {
        var store = try await Store.open(
            at: databasePath, access: access, durability: config.synchronous == .full ? .full : .normal)
        store.keep = config.keep
        return store
    }

    /// The named resources, each once; all resources if no name is given.
    ///
    /// - Throws: ``CommandError`` with code 66 for a name that is not in the config.
    func resources(named names: [String]) throws -> [AnyResource] {
        try chosen(names, "resource", among: config.resources, \.name)
    }

    /// The resources that a shard fetches, or parents of them; all resources without one.
    func resources(fetchedBy shard: Shard?) -> [AnyResource] {
        config.resources.filter { shard?.fetches($0, among: config.resources) ?? true }
    }

    /// The named sources, like ``resources(named:)``.
    func sources(named names: [String]) throws -> [Source] {
        try chosen(names, "source", among: config.sources, \.name)
    }

    private func chosen<Element>(
        _ names: [String], _ kind: String, among all: [Element], _ name: (Element) -> String
    ) throws -> [Element] {
        guard !names.isEmpty else { return all }
        var seen: Set<String> = []
        return try names.filter { seen.insert($0).inserted }.map { wanted in
            guard let found = all.first(where: { name($0) == wanted }) else {
                throw notFound(kind, wanted, among: all.map(name))
            }
            return found
        }
    }

    /// The error for a name that is not in the config.
    func notFound(_ kind: String, _ name: String, among names: [String]) -> CommandError {
        CommandError.notFound(
            "\(config.file) has no \(kind) '\(PlainText.oneLine(name, limit: 100))'",
            hint: names.isEmpty ? nil : "it has: \(names.joined(separator: ", "))")
    }
}

extension Workspace {
    /// Runs `body` with the store and always closes it afterwards.
    ///
    /// - Throws: ``CommandError`` with code 66 if there is no database yet, 74 if it cannot be used, and any error of `body`.
    func withStore<Value>(
        _ access: Store.Access, _ body: (Store) async throws -> Value
    ) async throws -> Value {
        let store = try await openStore(access)
        return try await perform {
            try await body(store)
        } finally: {
            await store.close()
        }
    }
}

extension GlobalOptions {
    /// Loads the config and runs `body` with it and its store.
    ///
    /// - Throws: ``CommandError`` with code 78 for a bad config, and the errors of ``Workspace/withStore(_:_:)``.
    func withStore<Value>(
        _ access: Store.Access = .readOnly, _ body: (Workspace, Store) async throws -> Value
    ) async throws -> Value {
        let workspace = try Workspace.load(self)
        return try await workspace.withStore(access) { store in try await body(workspace, store) }
    }
}

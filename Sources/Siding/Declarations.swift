// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingCredentials
internal import SidingSynchronization

/// What a ``Siding`` syncs and sends to: resources and sources, with the engine and the sender made for them.
struct Declarations: Sendable {
    let resources: [AnyResource]
    /// Those that other shards fetch.
    var others: [AnyResource] = []
    let engine: SyncEngine
    let sender: WriteSender
    /// Begins empty, so that what failed by an earlier config is tried once by this one.
    let failures = FailedSyncs()

    /// The engine of the service: a run of many resources goes on with the new ones when they are replaced, and leaves out
    /// those that the program syncs at the moment.
    func serviceEngine(besides running: RunningSyncs) -> SyncEngine {
        var engine = engine
        (engine.replaced, engine.running) = (sender.replaced, running)
        return engine
    }

    /// - Throws: ``StoreError/Kind/invalidName`` if two resources, or two different sources, have the same name.
    static func checkNames(of resources: [any SyncedResource], _ sources: [Source]) throws(StoreError) {
        try Source.checkNames(of: sources + resources.map(\.untyped.source))
        var names: Set<String> = []
        for resource in resources where !names.insert(resource.name).inserted {
            throw StoreError(
                .invalidName, "two resources are named '\(resource.name)'",
                hint: "each resource needs a name of its own")
        }
    }
}

/// The present ``Declarations`` of a ``Siding`` and its copies, which ``Siding/replace(resources:sources:)`` replaces as a whole.
final class CurrentDeclarations: Sendable {
    private let state: Mutex<Declarations>

    init(_ declarations: Declarations) {
        state = Mutex(declarations)
    }

    var value: Declarations { state.withLock { $0 } }

    /// Takes `new` from now on. The work under way ends with the old ones, and begins nothing more with them.
    func replace(with new: Declarations) {
        state.exchange(new).sender.replaced.fire()
    }
}

/// Makes the engine and the sender of a ``Siding``.
struct DeclarationsBuilder: Sendable {
    let store: Store
    let transports: any TransportFactory
    /// Where tokens are; nil if no source signs in.
    let credentials: String?
    let environment: RuntimeEnvironment
    let activity: Activity
    /// The part of the resources that is fetched; nil for all of them.
    let shard: Shard?

    func declarations(_ resources: [any SyncedResource], _ sources: [Source]) -> Declarations {
        let signIns = credentials.map {
            SignIns(directory: $0, transports: transports, environment: environment)
        }
        let engine = SyncEngine(store: store, transports: transports, signIns: signIns, environment: environment)
            .reporting(to: activity).sharing(shard, of: resources.map(\.untyped))
        let sender = WriteSender(
            store: store, sources: sources + resources.map(\.untyped.source), transports: transports, signIns: signIns,
            environment: environment)
        let all = resources.map(\.untyped)
        return Declarations(
            resources: all.filter(engine.fetches), others: all.filter { !engine.fetches($0) }, engine: engine,
            sender: sender)
    }
}

// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingOrigin
import SidingSynchronization
import SidingTesting

/// What is between `siding` and the origin of a test, and fails.
enum FlappingLink: Sendable {
    /// Both are on this machine, and a relay between them.
    case relay(Relay)
    /// Each has a network namespace of its own.
    case gateway(Gateway)

    /// Which of them.
    enum Kind: CaseIterable {
        case relay
        case gateway

        /// Gateways need network namespaces.
        static let possible = allCases.filter { $0 == .relay || NetworkNamespace.canBeMade }
    }

    /// How often it failed so far.
    var outages: Int {
        get async {
            switch self {
            case .relay(let relay):
                await relay.log.count { if case .state(.down) = $0.kind { true } else { false } }
            case .gateway(let gateway): gateway.outages
            }
        }
    }

    /// Works off `stages` while `body` runs. Afterwards it is up.
    func flap(_ stages: TimedStages, during body: () async throws -> Void) async throws {
        switch self {
        case .relay(let relay):
            await relay.follow(stages)
            try await body()
            await relay.set(.up())
        case .gateway(let gateway):
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await gateway.follow(stages) }
                try await body()
                group.cancelAll()
                do { try await group.waitForAll() } catch is CancellationError {}
            }
            try gateway.mend()
        }
    }

    func stop() async {
        if case .relay(let relay) = self { await relay.stop() }
    }
}

/// A cable, at whose other end is the gateway to an origin beyond: the default route leads there.
final class Gateway: Sendable {
    /// The origin's address.
    static let address = "10.98.0.2"
    private static let defaultRoute = "default via 10.99.0.2"
    let cable: Cable
    private let count = Mutex(0)
    var outages: Int { count.withLock { $0 } }

    init() async throws {
        cable = try await Cable()
        try cable.there.ip(batch: [
            "link set lo up", "addr add 10.99.0.2/24 dev wire1", "addr add \(Self.address)/32 dev lo",
        ])
        try cable.plugIn()
        try mend()
    }

    /// Works off `stages` without end. An outage of the relay is the one of a network that is most like it.
    ///
    /// - Throws: `CancellationError` once the task is cancelled.
    fileprivate func follow(_ stages: TimedStages) async throws {
        for stage in stages {
            if case .down(let outage) = stage.state {
                try fail(like: outage)
                count.withLock { $0 += 1 }
            } else {
                try repair()
            }
            if case .time(let span) = stage.span { try await Task.sleep(for: span) }
        }
    }

    private func fail(like outage: LineState.Outage) throws {
        switch outage {
        case .cut: try cable.here.ip("link set wire0 down")
        case .reset: try cable.here.ip("route del \(Self.defaultRoute)")
        case .halfClose: try cable.there.ip("link set wire1 down")
        // Nothing tells this machine that no answer comes any more.
        case .blackhole, .drop: try cable.there.ip("route replace blackhole 10.99.0.1/32")
        }
    }

    private func repair() throws {
        try cable.there.ip("link set wire1 up")
        try cable.there.ip("route replace 10.99.0.1/32 dev wire1")
        try cable.here.ip(batch: ["link set wire0 up", "route replace \(Self.defaultRoute)"])
    }

    /// Repairs it, and waits until the kernel has noticed at both ends, which may take a second.
    fileprivate func mend() throws {
        try repair()
        for (end, wire) in [(cable.here, "wire0"), (cable.there, "wire1")] {
            while try !end.ip("link show \(wire)").contains("state UP") {}
        }
    }
}

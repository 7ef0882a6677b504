// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import SidingSynchronization

/// The state that the connections of an origin share: its handler, rules, request log and connections.
final class OriginBoard: Sendable {
    struct State {
        var listener: (any Channel)?
        /// Whether the origin is down: connections that the kernel accepted before are not served any more.
        var isDown = false
        var connections: [Int: any Channel] = [:]
        var connectionCount = 0
        var requests: [OriginRequest] = []
        var requestCount = 0
        var rules: [OriginRule] = []
        var ruleCount = 0
        var waiting: [Waiting] = []
    }

    /// A test that waits for a condition.
    struct Waiting {
        let isMet: @Sendable (borrowing State) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    let compresses: Bool
    let handler: Origin.Handler
    private let state = Mutex(State())

    init(compresses: Bool, handler: @escaping Origin.Handler) {
        (self.compresses, self.handler) = (compresses, handler)
    }

    var requests: [OriginRequest] { state.withLock { $0.requests } }
    var connectionCount: Int { state.withLock { $0.connectionCount } }
    var openConnectionCount: Int { state.withLock { $0.connections.count } }

    func forgetRequests() { state.withLock { $0.requests = [] } }

    /// Returns once `isMet` holds.
    func wait(until isMet: @escaping @Sendable (borrowing State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMetNow = state.withLock { state in
                guard !isMet(state) else { return true }
                state.waiting.append(Waiting(isMet: isMet, continuation: continuation))
                return false
            }
            if isMetNow { continuation.resume() }
        }
    }

    /// Changes the state, then resumes the waiting tests whose condition is met.
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, met) = state.withLock { state -> (Result, [Waiting]) in
            let result = body(&state)
            var met: [Waiting] = []
            var unmet: [Waiting] = []
            for waiting in state.waiting {
                if waiting.isMet(state) { met.append(waiting) } else { unmet.append(waiting) }
            }
            state.waiting = unmet
            return (result, met)
        }
        for waiting in met { waiting.continuation.resume() }
        return result
    }
}

// MARK: - Rules

extension OriginBoard {
    func add(_ fault: OriginFault, _ pattern: OriginPattern, skipping: Int, times: Int?) -> Int {
        state.withLock { state in
            state.ruleCount += 1
            state.rules.append(
                OriginRule(id: state.ruleCount, fault: fault, pattern: pattern, skipping: skipping, times: times))
            return state.ruleCount
        }
    }

    /// Removes one rule; nil removes all.
    func removeRule(_ id: Int?) {
        state.withLock { $0.rules.removeAll { id == nil || $0.id == id } }
    }

    /// Logs and numbers a request, and returns the fault that affects it.
    func log(_ request: inout OriginRequest) -> OriginFault? {
        var numbered = request
        let (number, fault) = change { state in
            state.requestCount += 1
            numbered.order = state.requestCount
            state.requests.append(numbered)
            for index in state.rules.indices where state.rules[index].strikes(numbered) {
                return (numbered.order, state.rules[index].fault as OriginFault?)
            }
            return (numbered.order, nil)
        }
        request.order = number
        return fault
    }
}

// MARK: - Connections

extension OriginBoard {
    /// Marks the origin as up, before it listens.
    func comesUp() {
        state.withLock { $0.isDown = false }
    }

    func listens(_ listener: any Channel) {
        state.withLock { $0.listener = listener }
    }

    /// Registers a connection and returns its number.
    func opened(_ channel: any Channel) -> Int {
        let (number, isLate) = change { state in
            state.connectionCount += 1
            if !state.isDown { state.connections[state.connectionCount] = channel }
            return (state.connectionCount, state.isDown)
        }
        if isLate { channel.close(promise: nil) }
        return number
    }

    func closed(_ connection: Int) {
        change { $0.connections[connection] = nil }
    }

    /// Marks the origin as down, and returns the listener and every connection for the caller to close.
    func takeDown() -> (listener: (any Channel)?, connections: [any Channel]) {
        change { state in
            defer { (state.listener, state.connections, state.isDown) = (nil, [:], true) }
            return (state.listener, Array(state.connections.values))
        }
    }
}

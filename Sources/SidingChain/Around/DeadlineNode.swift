/// Ends a whole call, body included, after a budget, beside the idle and connect timeouts of the transport.
///
/// The call runs in a child task that is cancelled when the budget is spent. Any duration is legal.
public struct DeadlineNode<Wrapped: Node>: WrapperNode {
    public let wrapped: Wrapped
    private let limit: Duration
    private let clock: any Clock<Duration>

    public init(_ wrapped: Wrapped, limit: Duration, clock: any Clock<Duration> = ContinuousClock()) {
        self.wrapped = wrapped
        self.limit = limit
        self.clock = clock
    }

    public func process(_ input: Wrapped.Input, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        let raced = await withTaskGroup(of: Raced.self) { group in
            group.addTask {
                do throws(Failure) { return .finished(try await wrapped.process(input, context)) } catch {
                    return .failed(error)
                }
            }
            group.addTask {
                do { try await clock.sleep(for: limit.atMostAYear) } catch { return .abandoned }
                return .spent
            }
            defer { group.cancelAll() }
            return await Self.outcome(&group)
        }
        switch raced {
        case .finished(let output): return output
        case .failed(let failure): throw failure
        case .spent, .abandoned:
            throw Failure(.timeout(.total), phase: .maybeSent, detail: "nothing more came within \(limit)").at(
                node: name)
        }
    }

    private enum Raced: Sendable {
        case finished(Wrapped.Output)
        case failed(Failure)
        case spent
        case abandoned
    }

    /// The first word that counts. After the budget is spent, an answer that arrives while the call winds down still
    /// counts: it must not be thrown away after a write.
    private static func outcome(_ group: inout TaskGroup<Raced>) async -> Raced {
        while let next = await group.next() {
            switch next {
            case .finished, .failed: return next
            case .abandoned: continue
            case .spent:
                group.cancelAll()
                return await Self.late(&group)
            }
        }
        return .spent
    }

    private static func late(_ group: inout TaskGroup<Raced>) async -> Raced {
        while let next = await group.next() {
            if case .finished = next { return next }
            // How far the request had got is known by the call, not by the clock.
            if case .failed(let failure) = next {
                let timedOut = Failure(.timeout(.total), phase: failure.phase, detail: failure.detail)
                return .failed(timedOut.at(node: failure.node, method: failure.method, url: failure.url))
            }
        }
        return .spent
    }
}

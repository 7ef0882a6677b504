// SPDX-License-Identifier: Apache-2.0
/// Limits the duration of a whole call, body included, in addition to the transport's idle and connect timeouts.
///
/// The call runs in a child task that is cancelled at the limit. Any duration is legal.
public struct DeadlineNode<Wrapped: Node>: WrapperNode {
    public let wrapped: Wrapped
    private let limit: Duration
    private let clock: any Clock<Duration>

    /// Ends a call of `wrapped` after `limit` with ``Failure/Reason/timeout(_:)``, stage ``Failure/TimeoutStage/total``.
    ///
    /// - Parameters:
    ///   - wrapped: the nodes to limit.
    ///   - limit: the longest duration of one call; more than a year counts as a year.
    ///   - clock: measures it.
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

    /// The first decisive event. A response that arrives after the limit, while the call winds down, still counts: after a
    /// write it must not be discarded.
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
            // The call knows how far the request got, the clock does not.
            if case .failed(let failure) = next {
                let timedOut = Failure(.timeout(.total), phase: failure.phase, detail: failure.detail)
                return .failed(timedOut.at(node: failure.node, method: failure.method, url: failure.url))
            }
        }
        return .spent
    }
}

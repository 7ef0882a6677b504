// SPDX-License-Identifier: Apache-2.0
public import SidingChain

/// Makes a step's request from the outcome of the step before, and decides which failures are recoverable.
///
/// ```swift
/// let page = RequestGenerator<IssueID, IssueQuery>
///     .onSuccess { id in IssueQuery(id) }
///     .recovering(where: { $0.reason == .noInternetConnection }) { _ in IssueQuery.stored }
/// ```
///
/// A failure that no recovery matches passes on unchanged, and no request is made. An error of a closure becomes the failure;
/// if it is a `Failure` it is unchanged.
public struct RequestGenerator<Previous: Sendable, Request: Sendable>: Sendable {
    private struct Recovery: Sendable {
        let isRecoverable: @Sendable (Failure) -> Bool
        let request: @Sendable (Failure) async throws -> Request
    }

    private let base: @Sendable (Try<Previous>) async -> Try<Request>
    private var recoveries: [Recovery] = []

    private init(base: @escaping @Sendable (Try<Previous>) async -> Try<Request>) {
        self.base = base
    }

    /// The next request, or the failure that travels on.
    package func request(after previous: Try<Previous>) async -> Try<Request> {
        guard case .failure(let failure) = previous,
            let recovery = recoveries.first(where: { $0.isRecoverable(failure) })
        else { return await base(previous) }
        return await Self.attempt { try await recovery.request(failure) }
    }

    /// Makes a request for success and failure alike: `make` inspects the outcome itself.
    public static func forced(_ make: @escaping @Sendable (Try<Previous>) async throws -> Request) -> Self {
        Self { previous in await attempt { try await make(previous) } }
    }

    /// Makes a request from the previous value; a failure passes on unchanged.
    public static func onSuccess(_ make: @escaping @Sendable (Previous) async throws -> Request) -> Self {
        Self { previous in
            switch previous {
            case .success(let value): await attempt { try await make(value) }
            case .failure(let failure): .failure(failure)
            }
        }
    }

    /// A copy of this generator that makes a fallback request for previous failures that match `isRecoverable`.
    ///
    /// If several recoveries match, the first one wins, as with `catch` clauses.
    public func recovering(
        where isRecoverable: @escaping @Sendable (Failure) -> Bool,
        _ make: @escaping @Sendable (Failure) async throws -> Request
    ) -> Self {
        var recovering = self
        recovering.recoveries.append(Recovery(isRecoverable: isRecoverable, request: make))
        return recovering
    }

    private static func attempt(_ make: () async throws -> Request) async -> Try<Request> {
        await Try.attempt(at: "RequestGenerator", .notSent, make)
    }
}

extension RequestGenerator where Previous == Request {
    /// Uses the previous value as the request.
    public static var previous: Self { onSuccess { $0 } }
}

extension RequestGenerator {
    /// Makes several requests from the previous value, for a ``RequestBatchStep``; a failure passes on unchanged.
    public static func several<Single>(
        _ make: @escaping @Sendable (Previous) async throws -> [Single]
    ) -> Self where Request == [Try<Single>] {
        onSuccess { value in try await make(value).map { .success($0) } }
    }

    /// Makes one request for each outcome of an earlier ``RequestBatchStep``, using `generator` for each.
    ///
    /// A failed outcome that `generator` does not recover from stays in its place unchanged.
    public static func each<Item, Single>(
        _ generator: RequestGenerator<Item, Single>
    ) -> Self where Previous == [Try<Item>], Request == [Try<Single>] {
        onSuccess { outcomes in
            var requests: [Try<Single>] = []
            for outcome in outcomes { requests.append(await generator.request(after: outcome)) }
            return requests
        }
    }
}

/// Turns the raw outcome of a request into a value for upper layers, so that they depend on neither store nor transport.
///
/// An error of its closure becomes the failure.
public struct ResultProcessor<Raw: Sendable, Value: Sendable>: Sendable {
    private let transform: @Sendable (Try<Raw>) async throws -> Value

    /// A processor of responses; a failed request stays failed.
    public init(_ transform: @escaping @Sendable (Raw) async throws -> Value) {
        self.transform = { raw in try await transform(try raw.get()) }
    }

    private init(outcome transform: @escaping @Sendable (Try<Raw>) async throws -> Value) {
        self.transform = transform
    }

    /// A processor that also receives the failure of its own request, such as a 404 that means "none".
    public static func outcome(_ transform: @escaping @Sendable (Try<Raw>) async throws -> Value) -> Self {
        Self(outcome: transform)
    }

    /// The value for upper layers made from `raw`.
    package func value(of raw: Try<Raw>) async -> Try<Value> {
        let phase: Failure.Phase = if case .failure(let failure) = raw { failure.phase } else { .answered }
        return await Try.attempt(at: "ResultProcessor", phase) { try await transform(raw) }
    }
}

extension ResultProcessor where Raw == Value {
    /// Returns the response unchanged.
    public static var unchanged: Self { Self { $0 } }
}

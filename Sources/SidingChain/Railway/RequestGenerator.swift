/// Decides what is asked next, from what came before; it alone says which failures are recoverable.
///
/// ```swift
/// let page = RequestGenerator<IssueID, IssueQuery>
///     .onSuccess { id in IssueQuery(id) }
///     .recovering(where: { $0.reason == .noInternetConnection }) { _ in IssueQuery.stored }
/// ```
///
/// A failure that nothing here recovers from passes on untouched, and no request is made. What a closure throws becomes
/// the failure that travels on; a ``Failure`` that it throws stays as it is.
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
    public func request(after previous: Try<Previous>) async -> Try<Request> {
        guard case .failure(let failure) = previous,
            let recovery = recoveries.first(where: { $0.isRecoverable(failure) })
        else { return await base(previous) }
        return await Self.attempt { try await recovery.request(failure) }
    }

    /// A request for success and failure alike: `make` looks at the outcome itself.
    public static func forced(_ make: @escaping @Sendable (Try<Previous>) async throws -> Request) -> Self {
        Self { previous in await attempt { try await make(previous) } }
    }

    /// A request of the value before; a failure passes on untouched.
    public static func onSuccess(_ make: @escaping @Sendable (Previous) async throws -> Request) -> Self {
        Self { previous in
            switch previous {
            case .success(let value): await attempt { try await make(value) }
            case .failure(let failure): .failure(failure)
            }
        }
    }

    /// This generator, which for failures before it that `isRecoverable` names makes a request with fallback parameters.
    ///
    /// Of several, the first that names the failure answers, as with `catch` clauses.
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
    /// The value before is the request.
    public static var previous: Self { onSuccess { $0 } }
}

extension RequestGenerator {
    /// Several requests of the value before, for a ``RequestBatchStep``; a failure passes on untouched.
    public static func several<Single>(
        _ make: @escaping @Sendable (Previous) async throws -> [Single]
    ) -> Self where Request == [Try<Single>] {
        onSuccess { value in try await make(value).map { .success($0) } }
    }

    /// A request for each outcome of an earlier ``RequestBatchStep``, as `generator` makes one of one.
    ///
    /// An outcome that is a failure, and that `generator` does not recover from, stays in its place untouched.
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

/// Turns the raw outcome of a request into what upper layers use, so that neither store nor transport shows through.
///
/// What its closure throws becomes the failure that travels on.
public struct ResultProcessor<Raw: Sendable, Value: Sendable>: Sendable {
    private let transform: @Sendable (Try<Raw>) async throws -> Value

    /// A processor of answers; a request that failed stays failed.
    public init(_ transform: @escaping @Sendable (Raw) async throws -> Value) {
        self.transform = { raw in try await transform(try raw.get()) }
    }

    private init(outcome transform: @escaping @Sendable (Try<Raw>) async throws -> Value) {
        self.transform = transform
    }

    /// A processor that looks at the failure of its own request too: a 404 that means "none", for one.
    public static func outcome(_ transform: @escaping @Sendable (Try<Raw>) async throws -> Value) -> Self {
        Self(outcome: transform)
    }

    /// What upper layers get for `raw`.
    public func value(of raw: Try<Raw>) async -> Try<Value> {
        let phase: Failure.Phase = if case .failure(let failure) = raw { failure.phase } else { .answered }
        return await Try.attempt(at: "ResultProcessor", phase) { try await transform(raw) }
    }
}

extension ResultProcessor where Raw == Value {
    /// The answer as it is.
    public static var unchanged: Self { Self { $0 } }
}

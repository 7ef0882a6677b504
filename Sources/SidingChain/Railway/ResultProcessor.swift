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

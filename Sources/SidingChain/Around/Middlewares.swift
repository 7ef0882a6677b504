/// What is done to every request of a program, under keys: transforms, then side effects; and what sees its failure.
///
/// ```swift
/// let middlewares = Middlewares()
///     .transform("locale") { draft, _ in draft.with(\.headerFields[.acceptLanguage], locale()) }
///     .sideEffect("audit") { draft, _ in try await audit.note(draft.route) }
///     .onFailure("sign-in") { failure, _, _ in
///         if case .http(let answer) = failure.reason, answer.status == 401 { await session.end() }
///         return failure
///     }
/// ```
///
/// All three run in the order in which their keys were first registered; a key that is registered again, for the same of
/// the three, takes the earlier one's place in that order. ``MiddlewareNode`` runs them. The context they are given has the
/// middlewares switched off, so that a request which they make with it does not lead back to them.
public struct Middlewares: Sendable {
    /// How often a middleware runs where a request is tried several times.
    public enum Repetition: Sendable, Hashable {
        /// Before the first attempt, and on the failure after the last.
        case oncePerRequest
        /// Before each attempt, and on each attempt's failure, before it is decided whether to try again.
        case oncePerAttempt
    }

    /// Gives the request that goes on in place of the one it gets; what it throws fails the request.
    public typealias Transform = @Sendable (RequestDraft, ChainContext) async throws -> RequestDraft
    /// Sees the request as it will go on, before it does; what it throws is logged and goes no further.
    public typealias SideEffect = @Sendable (RequestDraft, ChainContext) async throws -> Void
    /// Sees the failure of a request, and gives the one that travels on.
    public typealias FailureTransform = @Sendable (Failure, RequestDraft, ChainContext) async -> Failure

    private(set) var transforms = Keyed<Transform>()
    private(set) var sideEffects = Keyed<SideEffect>()
    private(set) var failureTransforms = Keyed<FailureTransform>()

    /// None.
    public init() {}

    /// These, and `transform` under `key`.
    public func transform(
        _ key: MiddlewareKey, runs repetition: Repetition = .oncePerRequest, _ transform: @escaping Transform
    ) -> Middlewares {
        var all = self
        all.transforms.register(key, repetition, transform)
        return all
    }

    /// These, and `effect` under `key`.
    public func sideEffect(
        _ key: MiddlewareKey, runs repetition: Repetition = .oncePerRequest, _ effect: @escaping SideEffect
    ) -> Middlewares {
        var all = self
        all.sideEffects.register(key, repetition, effect)
        return all
    }

    /// These, and `transform` of failures under `key`. It sees every failure, those of transforms included.
    public func onFailure(
        _ key: MiddlewareKey, runs repetition: Repetition = .oncePerRequest, _ transform: @escaping FailureTransform
    ) -> Middlewares {
        var all = self
        all.failureTransforms.register(key, repetition, transform)
        return all
    }

    /// These without what is registered under `key`.
    public func removing(_ key: MiddlewareKey) -> Middlewares {
        var rest = self
        rest.transforms.remove(key)
        rest.sideEffects.remove(key)
        rest.failureTransforms.remove(key)
        return rest
    }
}

/// Functions under keys, in order.
struct Keyed<Function: Sendable>: Sendable {
    private struct Entry: Sendable {
        let key: MiddlewareKey
        let repetition: Middlewares.Repetition
        let function: Function
    }

    private var entries: [Entry] = []

    mutating func register(_ key: MiddlewareKey, _ repetition: Middlewares.Repetition, _ function: Function) {
        let entry = Entry(key: key, repetition: repetition, function: function)
        if let index = entries.firstIndex(where: { $0.key == key }) {
            entries[index] = entry
        } else {
            entries.append(entry)
        }
    }

    mutating func remove(_ key: MiddlewareKey) {
        entries.removeAll { $0.key == key }
    }

    /// Those that run `repetition`, and that `filter` lets through.
    func allowed(
        _ repetition: Middlewares.Repetition, by filter: MiddlewareFilter
    ) -> [(key: MiddlewareKey, function: Function)] {
        entries.filter { $0.repetition == repetition && filter.allows($0.key) }.map { ($0.key, $0.function) }
    }
}

/// Names a middleware, so that a later one can take its place and a request can choose or refuse it.
public struct MiddlewareKey: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let description: String

    public init(_ name: String) {
        description = name
    }

    public init(stringLiteral value: String) {
        self.init(value)
    }
}

/// Which middlewares a request lets run.
///
/// A middleware runs where it is chosen *and* not refused. Filters from several places are joined with ``and(_:)``, and
/// all of them must let it through.
public struct MiddlewareFilter: Sendable, Hashable {
    private var chosen: Set<MiddlewareKey>?
    private var refused: Set<MiddlewareKey>

    /// - Parameters:
    ///   - chosen: only these run; nil for all.
    ///   - refused: these do not run, chosen or not.
    public init(including chosen: Set<MiddlewareKey>? = nil, excluding refused: Set<MiddlewareKey> = []) {
        self.chosen = chosen
        self.refused = refused
    }

    /// All middlewares run.
    public static let all = MiddlewareFilter()

    /// No middleware runs: for requests that a middleware itself makes.
    public static let off = MiddlewareFilter(including: [])

    /// Lets through what both this filter and `other` let through.
    public func and(_ other: MiddlewareFilter) -> MiddlewareFilter {
        let chosen: Set<MiddlewareKey>? =
            switch (self.chosen, other.chosen) {
            case (let one?, let two?): one.intersection(two)
            case (let one, let two): one ?? two
            }
        return MiddlewareFilter(including: chosen, excluding: refused.union(other.refused))
    }

    /// Whether the middlewares of `key` run.
    public func allows(_ key: MiddlewareKey) -> Bool {
        chosen?.contains(key) ?? true && !refused.contains(key)
    }
}

extension ChainContext {
    /// This context for a request that a middleware itself makes: no middleware runs for it.
    public var withoutMiddlewares: ChainContext { forAnotherRequest.with(\.middlewareFilter, .off) }
}

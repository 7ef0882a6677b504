// SPDX-License-Identifier: Apache-2.0
public import SidingChain

/// Functions that run for every request of a program, registered under keys: transforms, side effects and failure transforms.
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
/// A transform may also set how often its request is tried again: `draft.with(\.retries, 3)`.
///
/// Each kind runs in the order in which its keys were first registered; registering a key again for the same kind replaces the
/// function in its place. ``MiddlewareNode`` runs them. Their context has the middlewares switched off, so that requests made
/// with it do not run them again.
public struct Middlewares: Sendable {
    /// How often a middleware runs if a request is attempted several times.
    public enum Repetition: Sendable, Hashable {
        /// Before the first attempt, and on the failure after the last.
        case oncePerRequest
        /// Before each attempt, and on each attempt's failure, before the decision whether to retry.
        case oncePerAttempt
    }

    private(set) var transforms = Keyed<@Sendable (RequestDraft, ChainContext) async throws -> RequestDraft>()
    private(set) var sideEffects = Keyed<@Sendable (RequestDraft, ChainContext) async throws -> Void>()
    private(set) var failureTransforms = Keyed<@Sendable (Failure, RequestDraft, ChainContext) async -> Failure>()

    /// No middlewares.
    public init() {}

    /// These middlewares plus `transform` under `key`. It returns the request to send in place of its argument; an error fails the
    /// request.
    public func transform(
        _ key: String, runs repetition: Repetition = .oncePerRequest,
        _ transform: @escaping @Sendable (RequestDraft, ChainContext) async throws -> RequestDraft
    ) -> Middlewares {
        var all = self
        all.transforms.register(key, repetition, transform)
        return all
    }

    /// These middlewares plus `effect` under `key`. It receives the final request before it is sent; an error is only logged.
    public func sideEffect(
        _ key: String, runs repetition: Repetition = .oncePerRequest,
        _ effect: @escaping @Sendable (RequestDraft, ChainContext) async throws -> Void
    ) -> Middlewares {
        var all = self
        all.sideEffects.register(key, repetition, effect)
        return all
    }

    /// These middlewares plus the failure transform under `key`. It receives every failure, including those of transforms, and
    /// returns the one to throw.
    public func onFailure(
        _ key: String, runs repetition: Repetition = .oncePerRequest,
        _ transform: @escaping @Sendable (Failure, RequestDraft, ChainContext) async -> Failure
    ) -> Middlewares {
        var all = self
        all.failureTransforms.register(key, repetition, transform)
        return all
    }

    /// These middlewares without those registered under `key`.
    public func removing(_ key: String) -> Middlewares {
        var rest = self
        rest.transforms.remove(key)
        rest.sideEffects.remove(key)
        rest.failureTransforms.remove(key)
        return rest
    }
}

/// An ordered collection of functions with keys.
struct Keyed<Function: Sendable>: Sendable {
    private struct Entry: Sendable {
        let key: String
        let repetition: Middlewares.Repetition
        let function: Function
    }

    private var entries: [Entry] = []

    mutating func register(_ key: String, _ repetition: Middlewares.Repetition, _ function: Function) {
        let entry = Entry(key: key, repetition: repetition, function: function)
        if let index = entries.firstIndex(where: { $0.key == key }) {
            entries[index] = entry
        } else {
            entries.append(entry)
        }
    }

    mutating func remove(_ key: String) {
        entries.removeAll { $0.key == key }
    }

    /// The functions that run at `repetition` and that `filter` allows.
    func allowed(
        _ repetition: Middlewares.Repetition, by filter: MiddlewareFilter
    ) -> [(key: String, function: Function)] {
        entries.filter { $0.repetition == repetition && filter.allows($0.key) }.map { ($0.key, $0.function) }
    }
}

/// Selects the middlewares of a request.
///
/// A middleware runs if it is included *and* not excluded. Filters are combined with ``and(_:)``; all of them must allow it.
public struct MiddlewareFilter: Sendable, Hashable {
    private var chosen: Set<String>?
    private var refused: Set<String>

    /// - Parameters:
    ///   - chosen: only these run; nil for all.
    ///   - refused: these never run.
    public init(including chosen: Set<String>? = nil, excluding refused: Set<String> = []) {
        self.chosen = chosen
        self.refused = refused
    }

    /// All middlewares run.
    public static let all = MiddlewareFilter()

    /// No middleware runs; for requests made by a middleware.
    public static let off = MiddlewareFilter(including: [])

    /// Allows the middlewares that both this filter and `other` allow.
    public func and(_ other: MiddlewareFilter) -> MiddlewareFilter {
        let chosen: Set<String>? =
            switch (self.chosen, other.chosen) {
            case (let one?, let two?): one.intersection(two)
            case (let one, let two): one ?? two
            }
        return MiddlewareFilter(including: chosen, excluding: refused.union(other.refused))
    }

    /// Whether the middlewares of `key` run.
    package func allows(_ key: String) -> Bool {
        chosen?.contains(key) ?? true && !refused.contains(key)
    }
}

extension ChainRequest {
    /// Which middlewares run for the request; all by default. The filter of the call, `ChainContext.middlewareFilter`, must
    /// allow them, too.
    public var middlewareFilter: MiddlewareFilter {
        get { self[MiddlewareFilter.self] ?? .all }
        set { self[MiddlewareFilter.self] = newValue }
    }
}

extension ChainContext {
    /// Which middlewares run for the call; all by default. The filter of the request, `ChainRequest.middlewareFilter`, must allow
    /// them, too.
    public var middlewareFilter: MiddlewareFilter {
        get { self[MiddlewareFilter.self] ?? .all }
        set { self[MiddlewareFilter.self] = newValue }
    }

    /// This context for a request made by a middleware: no middleware runs for it.
    package var withoutMiddlewares: ChainContext { forAnotherRequest.with(\.middlewareFilter, .off) }
}

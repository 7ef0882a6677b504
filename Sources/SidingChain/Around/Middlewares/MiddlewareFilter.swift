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

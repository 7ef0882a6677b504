internal import HTTPTypes
internal import SidingChain

/// The limits of a source as its chains ask them, kept in the store.
struct SourceBudget: RequestBudget {
    let source: Source
    let store: Store
    let wallClock: WallClock

    /// Nil for a source without limits.
    init?(_ source: Source, in store: Store, wallClock: WallClock) {
        guard !source.limits.isEmpty else { return nil }
        (self.source, self.store, self.wallClock) = (source, store, wallClock)
    }

    func take(_ url: HTTPURL) async throws(Failure) -> BudgetPlace {
        let rules = source.limits(fitting: url)
        guard !rules.isEmpty else { return BudgetPlace() }
        let request = SlotRequest(
            source: source.name, limits: rules.map { source.limits[$0] }, hold: source.transport.totalTimeout)
        let answer: SlotAnswer
        do throws(StoreError) { answer = try await store.takeSlots(request) } catch {
            throw error.kind == .cancelled
                ? Failure(.cancelled, phase: .notSent)
                : Failure(.storage(error.kind.rawValue), phase: .notSent, detail: error.message, underlying: error)
        }
        switch answer {
        case .taken(let slots): return BudgetPlace(slots: zip(slots, rules).map { .init(id: $0, rule: $1) })
        case .spent(let limit, let until, let shortage):
            throw BudgetSpent(
                until: until.secondsSince1970, isOfAll: limit.match.isOfAll,
                Self.words(limit, until, because: shortage)
            ).failure
        }
    }

    /// Why nothing may go out, for a person.
    static func words(_ limit: RateLimit, _ until: Timestamp, because shortage: BudgetShortage) -> String {
        let field = limit.remaining?.rawName ?? "answer"
        switch shortage {
        case .rate:
            let rate = limit.rate.map { " (\($0))" } ?? ""
            return "the limit '\(limit.match)'\(rate) is used up until \(until.rfc3339)"
        case .origin: return "the origin has nothing left for '\(limit.match)' until \(until.rfc3339), by its \(field)"
        case .underWay: return "what is under way may take all that the origin has left for '\(limit.match)'"
        case .unheard:
            return "requests whose end did not tell \(field) may have taken what was left for '\(limit.match)' until "
                + until.rfc3339
        }
    }

    func settle(_ place: BudgetPlace, _ ending: BudgetEnding) async {
        let settlements = place.slots.map { slot in
            let limit = source.limits[slot.rule]
            return SlotSettlement(slot: slot.id, of: source.name, limit, self.ending(ending, limit))
        }
        // Where it cannot be noted the slot frees itself later: too few requests go out, never too many.
        try? await uncancelled { () throws(StoreError) in try await store.settleSlots(settlements) }
    }

    private func ending(_ ending: BudgetEnding, _ limit: RateLimit) -> SlotSettlement.Ending {
        guard case .answered(let fields) = ending else { return .unsent }
        let allowance = OriginAllowance(fields, of: limit, now: wallClock.now)
        return .answered(remaining: allowance?.remaining, until: allowance?.until)
    }
}

extension Source {
    /// The limits that count a request to `url`, as indexes of ``limits``.
    func limits(fitting url: HTTPURL) -> [Int] {
        guard let path = path(of: url) else { return [] }
        return limits.indices.filter { limits[$0].match.fits(path) }
    }

    /// The path of `url` below the base URL, whole where it lies elsewhere; nil on another origin.
    func path(of url: HTTPURL) -> String? {
        guard url.origin == baseURL.origin else { return nil }
        let base = baseURL.path.hasSuffix("/") ? baseURL.path.dropLast() : baseURL.path[...]
        guard url.path.hasPrefix(base) else { return url.path }
        let rest = url.path.dropFirst(base.count)
        if rest.isEmpty { return "/" }
        return rest.hasPrefix("/") ? String(rest) : url.path
    }
}

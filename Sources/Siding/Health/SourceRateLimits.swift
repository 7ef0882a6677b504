// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingJSON

/// Applies the rate limits of a source to its chains, with counts kept in the store.
struct SourceRateLimits: RequestBudget {
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
        let answer: ReservationAnswer
        do throws(StoreError) {
            answer = try await store.reserve(
                under: rules.map { source.limits[$0] }, of: source.name, timeout: source.transport.totalTimeout)
        } catch {
            throw error.kind == .cancelled
                ? Failure(.cancelled, phase: .notSent)
                : Failure(.storage(error.kind.rawValue), phase: .notSent, detail: error.message, underlying: error)
        }
        switch answer {
        case .reserved(let reservations):
            return BudgetPlace(slots: zip(reservations, rules).map { .init(id: $0.microseconds, rule: $1) })
        case .exhausted(let limit, let until, let reason):
            throw BudgetSpent(
                until: until.secondsSince1970, isOfAll: limit.match.isOfAll,
                Self.message(limit, until, because: reason)
            ).failure
        }
    }

    /// The message for users why no request may be sent.
    static func message(_ limit: RateLimit, _ until: Timestamp, because reason: RateLimitExhaustion) -> String {
        let field = limit.remaining?.rawName ?? "the remaining quota"
        switch reason {
        case .rate:
            let rate = limit.rate.map { " (\($0))" } ?? ""
            return "the limit '\(limit.match)'\(rate) is used up until \(until.rfc3339)"
        case .reported:
            return "the origin has nothing left for '\(limit.match)' until \(until.rfc3339), by its \(field)"
        case .underWay: return "requests under way may use all that the origin has left for '\(limit.match)'"
        case .unknownOutcomes:
            return "quota for \(limit.match) is unknown until \(until.rfc3339): some answers lacked \(field)"
        }
    }

    func end(_ place: BudgetPlace, _ ending: BudgetEnding) async {
        await record(place.slots, of: .requests) { outcome(ending, $0) }
    }

    func spend(_ bytes: Int, at url: HTTPURL) async {
        await record(source.limits(fitting: url).map { .init(id: 0, rule: $0) }, of: .bytes) { _ in .bytes(bytes) }
    }

    private func record(
        _ slots: [BudgetPlace.Slot], of unit: RequestRate.Unit, _ outcome: (RateLimit) -> RequestUsage.QuotaReport
    ) async {
        let usages = slots.filter { source.limits[$0.rule].unit == unit }.map { slot in
            let limit = source.limits[slot.rule]
            return RequestUsage(
                reservation: Timestamp(microseconds: slot.id), timeout: source.transport.totalTimeout,
                source: source.name, limit: limit, outcome: outcome(limit))
        }
        guard !usages.isEmpty else { return }
        // Unrecorded requests count for longer: too few requests are sent then, never too many.
        try? await uncancelled { () throws(StoreError) in try await store.record(usages) }
    }

    private func outcome(_ ending: BudgetEnding, _ limit: RateLimit) -> RequestUsage.QuotaReport {
        guard case .answered(let fields) = ending else { return .unsent }
        return .answered(ReportedQuota(fields, of: limit, now: wallClock.now))
    }
}

extension RateLimit {
    /// The declared header fields that `fields` has and that cannot be read, as messages.
    fileprivate func unreadable(in fields: HTTPFields) -> [String] {
        func message(_ name: HTTPField.Name?, _ key: String, _ needed: String, isRead: (String) -> Bool) -> String? {
            guard let name, let value = fields[name], !isRead(value) else { return nil }
            return "'\(key)' of the limit '\(match)' has no effect: \(name.rawName) is "
                + "'\(PlainText.oneLine(value, limit: 60))', not \(needed)"
        }
        return [
            message(remaining, "remaining_header", "a number") { ReportedQuota.remaining($0) != nil },
            message(reset, "reset_header", "a number of seconds or a date") {
                LimitReset.moment($0, now: Timestamp(microseconds: 0)) != nil
            },
        ].compactMap(\.self)
    }
}

extension Source {
    /// The limits that apply to a request to `url`, as indexes of ``limits``.
    func limits(fitting url: HTTPURL) -> [Int] {
        guard let path = path(of: url) else { return [] }
        return limits.indices.filter { limits[$0].match.fits(path) }
    }

    /// The declared header fields of limits that an answer to `url` has and that cannot be read, as messages.
    func unreadableLimits(in fields: HTTPFields, of url: HTTPURL) -> Set<String> {
        guard !limits.isEmpty else { return [] }
        return limits(fitting: url).reduce(into: []) { $0.formUnion(limits[$1].unreadable(in: fields)) }
    }

    /// The path of `url` below the base URL; the whole path if it is not below; nil on another origin.
    func path(of url: HTTPURL) -> String? {
        guard url.origin == baseURL.origin else { return nil }
        let base = baseURL.path.hasSuffix("/") ? baseURL.path.dropLast() : baseURL.path[...]
        guard url.path.hasPrefix(base) else { return url.path }
        let rest = url.path.dropFirst(base.count)
        if rest.isEmpty { return "/" }
        return rest.hasPrefix("/") ? String(rest) : url.path
    }
}

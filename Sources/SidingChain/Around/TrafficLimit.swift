// SPDX-License-Identifier: Apache-2.0
/// Refuses further requests once the calls of a meter have carried a number of bytes: only the answer under way then exceeds it.
package struct TrafficLimit: RequestBudget {
    private let meter: TrafficMeter
    private let limit: Int
    private let next: (any RequestBudget)?

    /// A limit for the calls that the meter of this task counts; nil without a limit, or if nobody counts.
    ///
    /// - Parameter next: a budget that must allow the request as well.
    package init?(_ limit: Int?, before next: (any RequestBudget)? = nil) {
        guard let limit, let meter = TrafficMeter.current else { return nil }
        (self.meter, self.limit, self.next) = (meter, limit, next)
    }

    /// The failure of a further request; nil if one may be sent.
    package var failure: Failure? {
        let carried = meter.total
        guard carried >= limit else { return nil }
        let detail =
            "this run has carried \(ByteSize.rounded(carried)), and may carry \(ByteSize.rounded(limit)) (--max-bytes)"
        return Failure(.waitingForOrigin, phase: .notSent, detail: detail, underlying: TrafficSpent())
    }

    package func take(_ url: HTTPURL) async throws(Failure) -> BudgetPlace {
        if let failure { throw failure }
        return try await next?.take(url) ?? BudgetPlace()
    }

    package func end(_ place: BudgetPlace, _ ending: BudgetEnding) async { await next?.end(place, ending) }

    package func spend(_ bytes: Int, at url: HTTPURL) async { await next?.spend(bytes, at: url) }
}

/// Why a request was not sent: its run has carried as many bytes as it may. Nothing keeps the next run from sending it.
package struct TrafficSpent: Error, Sendable, Hashable {}

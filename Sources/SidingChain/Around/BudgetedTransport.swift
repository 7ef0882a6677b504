// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Logging
internal import SidingSynchronization

/// Sends every attempt, and every redirect within its origin, only with a reservation in the request budget.
struct BudgetedTransport: Transport {
    let transport: any Transport
    let budget: any RequestBudget
    let wait: BudgetWait

    func send(_ request: HTTPRequest, body: EncodedBody) async throws(Failure) -> Reply {
        let first = try request.checkedURL()
        // The reservation of the request that is under way.
        let open = Mutex<BudgetPlace?>(try await budget.take(first))
        do throws(Failure) {
            let reply = try await transport.send(request, body: body) { (url) async throws(Failure) in
                // The redirect itself is a response.
                await end(open.exchange(nil), .answered([:]))
                guard url.origin == first.origin else { return }
                open.exchange(try await place(for: url))
            }
            await end(open.exchange(nil), .answered(reply.response.headerFields))
            return reply
        } catch {
            switch error.phase {
            case .notSent: await end(open.exchange(nil), .unsent)
            case .answered: await end(open.exchange(nil), .answered([:]))
            // The origin may still count it.
            case .maybeSent: break
            }
            throw error
        }
    }

    /// Takes a reservation for a redirect. It waits here, because the request that led to it has already been sent.
    private func place(for url: HTTPURL) async throws(Failure) -> BudgetPlace {
        var waited = Duration.zero
        while true {
            do throws(Failure) { return try await budget.take(url) } catch {
                var failure = error
                failure.phase = .answered
                try await wait.rest(after: failure, waited: &waited)
            }
        }
    }

    private func end(_ place: BudgetPlace?, _ ending: BudgetEnding) async {
        guard let place, !place.slots.isEmpty else { return }
        await budget.end(place, ending)
    }
}

/// Waits for a free place in a budget, within a time limit.
struct BudgetWait: Sendable {
    /// The shortest wait: a place that is free right now may be taken by another call first.
    private static let shortest = Duration.milliseconds(1)
    private static let worthTelling = Duration.seconds(1)

    let maximumWait: Duration
    let clock: any Clock<Duration>
    let wallClock: WallClock

    /// Returns when the budget should be tried again; adds the time to `waited`.
    ///
    /// - Throws: `failure` if it has another reason or the wait would be too long, ``Failure/Reason/cancelled``.
    func rest(after failure: Failure, waited: inout Duration, _ context: ChainContext? = nil) async throws(Failure) {
        guard failure.reason == .waitingForOrigin, let spent = failure.underlying as? BudgetSpent else { throw failure }
        let seconds = min(max(spent.until - wallClock.now.secondsSince1970, 0), 86_400)
        let wait = max(.microseconds(Int64((seconds * 1_000_000).rounded(.up))), Self.shortest)
        guard waited + wait <= maximumWait else { throw failure }
        // There are many short waits: log only the first of them.
        if waited == .zero || wait >= Self.worthTelling {
            context?.log(
                .info, "request waits for its turn", node: "BudgetWaitNode",
                ["wait": "\(wait)", "because": "\(spent.description)"])
        }
        do { try await clock.sleep(for: wait) } catch {
            throw Failure(.cancelled, phase: failure.phase, detail: "while it waited for its turn")
                .at(method: failure.method, url: failure.url)
        }
        waited += wait
        TrafficMeter.current?.add(wait: wait)
    }
}

/// Repeats a request that had no place in the budget, once there may be one, and records the bytes of each attempt.
struct BudgetWaitNode<Wrapped: Node>: WrapperNode where Wrapped.Input == RequestDraft {
    let wrapped: Wrapped
    private let budget: any RequestBudget
    private let wait: BudgetWait

    init(_ wrapped: Wrapped, _ budget: any RequestBudget, _ wait: BudgetWait) {
        (self.wrapped, self.budget, self.wait) = (wrapped, budget, wait)
    }

    func process(_ input: Wrapped.Input, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        var waited = Duration.zero
        while true {
            do throws(Failure) { return try await counted(input, context) } catch {
                // A redirect has waited already, and the request before it was sent.
                guard error.phase == .notSent else { throw error }
                try await wait.rest(after: error, waited: &waited, context)
            }
        }
    }

    /// Records the bytes at the end: only then are all of the answer counted, also of one that was not read.
    private func counted(_ input: Wrapped.Input, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        let traffic = TrafficMeter()
        let result: Result<Wrapped.Output, Failure>
        do throws(Failure) {
            result = .success(
                try await traffic.counting { () async throws(Failure) in try await wrapped.process(input, context) })
        } catch { result = .failure(error) }
        if traffic.total > 0 { await budget.spend(traffic.total, at: input.route.url) }
        return try result.get()
    }
}

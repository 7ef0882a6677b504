internal import HTTPTypes
internal import SidingSynchronization

/// Sends nothing without a place in the budget: no try, no redirect.
struct BudgetedTransport: Transport {
    let transport: any Transport
    let budget: any RequestBudget
    let wait: BudgetWait

    func send(_ request: HTTPRequest, body: RequestBody) async throws(Failure) -> Reply {
        let first = try request.checkedURL()
        let open = OpenPlace(try await budget.take(first))
        do throws(Failure) {
            let reply = try await transport.send(request, body: body) { (url) async throws(Failure) in
                // The redirect itself is an answer.
                await settle(open, .answered([:]))
                guard url.origin == first.origin else { return }
                open.set(try await place(for: url))
            }
            await settle(open, .answered(reply.response.headerFields))
            return reply
        } catch {
            switch error.phase {
            case .notSent: await settle(open, .unsent)
            case .answered: await settle(open, .answered([:]))
            // The origin may count it yet.
            case .maybeSent: break
            }
            throw error
        }
    }

    /// A place for a redirect: the request that led to it is out, so that it waits here.
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

    private func settle(_ open: OpenPlace, _ ending: BudgetEnding) async {
        guard let place = open.take(), !place.slots.isEmpty else { return }
        await budget.settle(place, ending)
    }
}

/// The place of the request that is out.
private final class OpenPlace: Sendable {
    private let place: Mutex<BudgetPlace?>

    init(_ place: BudgetPlace) { self.place = Mutex(place) }

    func set(_ place: BudgetPlace) { self.place.withLock { $0 = place } }

    func take() -> BudgetPlace? {
        place.withLock { place in
            defer { place = nil }
            return place
        }
    }
}

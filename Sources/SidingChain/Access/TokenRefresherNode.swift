// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// Makes the next credential from the spent one, using the program's refresh request: a chain or a closure.
///
/// The request is exempt from access safety, since it would wait for itself. It has a time limit: at the limit it is cancelled,
/// and 5 s later it is abandoned if it ignores the cancellation. Its context carries the spent credential, for endpoints that
/// want the old access token too. ``RefreshRefusal`` lists how an endpoint refuses.
public struct TokenRefresherNode: Node {
    /// How long to wait for a cancelled request.
    private static let windDownTime = Duration.seconds(5)

    private let request: any Node<Credential, TokenGrant>
    private let timeLimit: Duration
    private let clock: any Clock<Duration>
    private let wallClock: WallClock
    /// The text that says who refused, for people.
    package var refusalWords = "the token endpoint refused"

    /// A refresher that calls a chain.
    ///
    /// - Parameters:
    ///   - request: sends the spent credential to the token endpoint and returns the new tokens.
    ///   - timeLimit: the time limit of one refresh; 30 s by default. A response that arrives during the cancellation still
    ///     counts.
    ///   - clock: measures the time limit.
    ///   - wallClock: the start of the new token's lifetime; the system's by default.
    public init(
        _ request: some Node<Credential, TokenGrant>, timeLimit: Duration = .seconds(30),
        clock: any Clock<Duration> = ContinuousClock(), wallClock: WallClock = .system
    ) {
        (self.request, self.timeLimit, self.clock) = (request, timeLimit, clock)
        self.wallClock = wallClock
    }

    /// A refresher that calls a closure; an error of the closure becomes the failure.
    public init(
        timeLimit: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock(),
        wallClock: WallClock = .system,
        _ request: @escaping @Sendable (Credential, ChainContext) async throws -> TokenGrant
    ) {
        self.init(
            RefreshRequest(request: request), timeLimit: timeLimit, clock: clock, wallClock: wallClock)
    }

    public var steps: [String] { ["\(name)(DeadlineNode(\(request.steps.joined(separator: " → "))))"] }

    public func process(_ input: Credential, _ context: ChainContext) async throws(Failure) -> Credential {
        try await bounded { spent, context throws(Failure) in
            try await asked(spent, context)
        } late: { _ in
        }
        .process(input, context)
    }
}

extension TokenRefresherNode {
    /// `request` with the time limit.
    ///
    /// - Parameter late: receives the outcome of an abandoned request.
    func bounded(
        _ request: @escaping @Sendable (Credential, ChainContext) async throws(Failure) -> Credential,
        late: @escaping @Sendable (Result<Credential, Failure>) async -> Void
    ) -> some Node<Credential, Credential> {
        BoundedWindDownNode(windDownTime: Self.windDownTime, clock: clock, request: request, late: late)
            .timeLimit(timeLimit, clock: clock)
    }

    /// Sends the request, without a time limit.
    func asked(_ spent: Credential, _ context: ChainContext) async throws(Failure) -> Credential {
        var context = context.forAnotherRequest
        context.isExemptFromAccessSafety = true
        context.credential = spent
        // Read before the request, so that the computed expiry is rather a little early than late.
        let now = wallClock.now.secondsSince1970
        let grant = try await request.process(spent, context)
        guard !grant.accessToken.isEmpty else {
            throw Failure(.contract, phase: .answered, detail: "the refresh gave an empty access token").at(node: name)
        }
        return grant.credential(after: spent, now: now)
    }
}

/// A refresh request made by a closure.
private struct RefreshRequest: Node {
    let request: @Sendable (Credential, ChainContext) async throws -> TokenGrant

    func process(_ input: Credential, _ context: ChainContext) async throws(Failure) -> TokenGrant {
        do { return try await request(input, context) } catch {
            throw Failure.wrapping(error, phase: .maybeSent).at(node: name)
        }
    }
}

/// Ends soon after cancellation, even if the wrapped request ignores it.
///
/// The request runs in a task of its own, which is cancelled with the call. A child task would have to be awaited, and a
/// closure that ignores cancellation may end much later or never. `late` receives the outcome of an abandoned request.
struct BoundedWindDownNode<Input: Sendable, Output: Sendable>: Node {
    typealias Outcome = Result<Output, Failure>

    /// How long to wait for a cancelled request.
    let windDownTime: Duration
    let clock: any Clock<Duration>
    let request: @Sendable (Input, ChainContext) async throws(Failure) -> Output
    let late: @Sendable (Outcome) async -> Void

    func process(_ input: Input, _ context: ChainContext) async throws(Failure) -> Output {
        let end = Promise<Outcome>()
        let windDown = Mutex<Task<Void, Never>?>(nil)
        let asking = Task {
            let outcome = await answer(to: input, context)
            if !end.resolve(outcome) { await late(outcome) }
        }
        defer { windDown.withLock { $0?.cancel() } }
        let outcome = await withTaskCancellationHandler {
            await end.value()
        } onCancel: {
            asking.cancel()
            // This task ends with the call: after `windDownTime`, or cancelled.
            let waiting = Task { [windDownTime, clock] in
                do { try await clock.sleep(for: windDownTime) } catch { return }
                _ = end.resolve(.failure(Self.unended(windDownTime)))
            }
            windDown.withLock { $0 = waiting }
        }
        return try outcome.get()
    }

    private func answer(to input: Input, _ context: ChainContext) async -> Outcome {
        do throws(Failure) { return .success(try await request(input, context)) } catch { return .failure(error) }
    }

    private static func unended(_ windDownTime: Duration) -> Failure {
        Failure(
            .cancelled, phase: .maybeSent,
            detail: "the request was cancelled and did not end within \(windDownTime): see that it heeds cancellation")
    }
}

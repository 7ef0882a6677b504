/// What a step of a railway hands to the next: a value, or the failure that travels on in its place.
///
/// `map`, `flatMap`, `flatMapError` and `get()` are those of `Result`; what is added here awaits and takes user code that
/// throws.
public typealias Try<Value: Sendable> = Result<Value, Failure>

extension Result where Success: Sendable, Failure == SidingChain.Failure {
    /// What `body` gives; whatever it throws becomes the failure.
    ///
    /// - Parameter phase: how far a request had got when `body` ran, for errors that do not say so themselves.
    public init(
        attemptedIn phase: SidingChain.Failure.Phase, _ body: () async throws -> Success
    ) async {
        do { self = .success(try await body()) } catch { self = .failure(.wrapping(error, phase: phase)) }
    }

    /// This outcome, or what `recovery` answers for a failure that `isRecoverable` names; what it throws travels on instead.
    public func recover(
        where isRecoverable: (SidingChain.Failure) -> Bool = { _ in true },
        _ recovery: (SidingChain.Failure) async throws -> Success
    ) async -> Self {
        guard case .failure(let failure) = self, isRecoverable(failure) else { return self }
        return await Self(attemptedIn: failure.phase) { try await recovery(failure) }
    }

    /// What `body` gives, where an error that is no failure yet is placed at `node`. A failure stays as it was.
    static func attempt(
        at node: String, _ phase: SidingChain.Failure.Phase, _ body: () async throws -> Success
    ) async -> Self {
        do { return .success(try await body()) } catch let failure as SidingChain.Failure {
            return .failure(failure)
        } catch {
            return .failure(.wrapping(error, phase: phase).at(node: node))
        }
    }
}

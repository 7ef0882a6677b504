// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes

/// Turns the chain's input into a draft with method and URL.
public struct RequestRouterNode<Input: Sendable>: Node {
    private let draft: @Sendable (Input) throws -> RequestDraft

    /// A router that calls `draft` for each input. If there is no route, throw an error; it becomes a failure, never a trap.
    public init(_ draft: @escaping @Sendable (Input) throws -> RequestDraft) {
        self.draft = draft
    }

    public func process(_ input: Input, _ context: ChainContext) async throws(Failure) -> RequestDraft {
        do { return try draft(input) } catch { throw Failure.wrapping(error, phase: .notSent).at(node: name) }
    }
}

/// Appends query parameters to the route's query, computed anew on each attempt.
public struct URLQueryInjectorNode: Node {
    private let encoding: QueryEncoding
    private let parameters: @Sendable () async throws -> [String: QueryValue]

    /// An injector of the result of `parameters`, encoded by `encoding`.
    public init(
        encoding: QueryEncoding = QueryEncoding(),
        _ parameters: @escaping @Sendable () async throws -> [String: QueryValue]
    ) {
        self.encoding = encoding
        self.parameters = parameters
    }

    public func process(_ input: RequestDraft, _ context: ChainContext) async throws(Failure) -> RequestDraft {
        var draft = input
        do {
            draft.route.url = draft.route.url.appending(encodedQuery: encoding.encode(try await parameters()))
        } catch {
            throw Failure.wrapping(error, phase: .notSent).at(node: name)
        }
        return draft
    }
}

// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Logging
public import SidingChain
internal import SidingJSON

/// Runs ``Middlewares`` around the part of a chain that makes and sends the request.
///
/// An assembly has two: one outside of `RetryNode` for middlewares that run once per request, one inside for those that run
/// once per attempt. Transforms come first, each receiving the previous result; then side effects, which are awaited; then the
/// request; and on a failure, even of a transform, the failure transforms. The filters of the call and of the request,
/// `ChainContext.middlewareFilter` and `ChainRequest.middlewareFilter`, select which of them run.
public struct MiddlewareNode<Wrapped: Node>: WrapperNode where Wrapped.Input == RequestDraft {
    public let wrapped: Wrapped
    private let middlewares: Middlewares
    private let repetition: Middlewares.Repetition

    /// - Parameters:
    ///   - wrapped: the nodes inside.
    ///   - middlewares: all of the program's.
    ///   - repetition: selects those that run here.
    public init(_ wrapped: Wrapped, middlewares: Middlewares, running repetition: Middlewares.Repetition) {
        self.wrapped = wrapped
        self.middlewares = middlewares
        self.repetition = repetition
    }

    public func process(_ input: RequestDraft, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        var draft = input
        do throws(Failure) {
            try await transform(&draft, context)
            await runSideEffects(draft, context)
            return try await wrapped.process(draft, context)
        } catch {
            var failure = error
            for (_, transform) in middlewares.failureTransforms.allowed(repetition, by: Self.filter(draft, context)) {
                failure = await transform(failure, draft, context.withoutMiddlewares)
            }
            throw failure
        }
    }

    private func transform(_ draft: inout RequestDraft, _ context: ChainContext) async throws(Failure) {
        for (key, transform) in middlewares.transforms.allowed(repetition, by: Self.filter(draft, context)) {
            do { draft = try await transform(draft, context.withoutMiddlewares) } catch {
                var failure = Failure.wrapping(error, phase: .notSent)
                failure.detail = Self.placed(failure.detail, key)
                throw failure.at(
                    node: name, method: draft.route.method.rawValue, url: Redaction.url(draft.route.url))
            }
        }
    }

    private func runSideEffects(_ draft: RequestDraft, _ context: ChainContext) async {
        for (key, effect) in middlewares.sideEffects.allowed(repetition, by: Self.filter(draft, context)) {
            do { try await effect(draft, context.withoutMiddlewares) } catch {
                guard !context.logExclusions.contains(name) else { continue }
                context.logger.warning(
                    "middleware failed; the request continues without it",
                    metadata: [
                        "request": "\(context.requestID)", "node": "\(name)", "middleware": "\(key)",
                        "error": "\(PlainText.oneLine(String(describing: error)))",
                    ])
            }
        }
    }

    private static func filter(_ draft: RequestDraft, _ context: ChainContext) -> MiddlewareFilter {
        context.middlewareFilter.and(draft.middlewareFilter)
    }

    private static func placed(_ detail: String?, _ key: String) -> String {
        PlainText.oneLine("in the middleware '\(key)'" + (detail.map { ": \($0)" } ?? ""))
    }
}

/// Adds the filter of a chain to each of its requests. It is not listed as a step, since it changes nothing that is sent.
struct MiddlewareFilterNode: Node {
    private let filter: MiddlewareFilter

    init(_ filter: MiddlewareFilter) {
        self.filter = filter
    }

    var steps: [String] { [] }

    func process(_ input: RequestDraft, _ context: ChainContext) async throws(Failure) -> RequestDraft {
        input.with(\.middlewareFilter, input.middlewareFilter.and(filter))
    }
}

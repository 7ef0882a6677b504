// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import Tracing

/// A piece of work in a trace: a run, a resource in it, a page, a delivery. Without a tracer it is nothing, and costs nothing.
struct WorkSpan: Sendable {
    private let span: (any Span)?

    /// Does `body` within a span, whose children are the spans that begin in it.
    ///
    /// - Parameters:
    ///   - name: one of few, such as `siding.page`; what differs goes into attributes.
    ///   - kind: `client` for requests to an origin.
    static func within<Value, Failed: Error>(
        _ name: String, kind: SpanKind = .internal, _ body: (WorkSpan) async throws(Failed) -> Value
    ) async throws(Failed) -> Value {
        let tracer = InstrumentationSystem.tracer
        guard !(tracer is NoOpTracer) else { return try await body(WorkSpan(span: nil)) }
        let span = tracer.startAnySpan(name, ofKind: kind)
        defer { span.end() }
        // `withValue` does not know typed errors.
        let result = await InstrumentationContext.$current.withValue(span.context) {
            do throws(Failed) { return Result<Value, Failed>.success(try await body(WorkSpan(span: span))) } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Says more about the work. No secret and no body may be in it.
    func set(_ name: StaticString, _ value: @autoclosure () -> String?) {
        guard let span, let value = value() else { return }
        span.attributes[name.description] = value
    }

    func set(_ name: StaticString, _ value: Int?) {
        guard let span, let value else { return }
        span.attributes[name.description] = value
    }

    /// Notes that the work failed.
    ///
    /// - Parameter name: the name of the failure, such as `timeout`; messages may quote what an origin sent.
    func fail(_ name: String, status: Int? = nil) {
        set("error.type", name)
        set("http.response.status_code", status)
        span?.setStatus(SpanStatus(code: .error, message: name))
    }
}

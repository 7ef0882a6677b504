// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Logging
internal import SidingChain
internal import Tracing

/// Adds the trace context to requests (W3C Trace Context, <https://www.w3.org/TR/trace-context/>), so that the origin's traces and
/// logs can be found by it: that of the current span, or random ids if the program has no tracer.
struct TraceContext: Sendable {
    let jitter: Jitter
    let logger: Logger
    let secretQueryNames: Set<String>

    private static let parent = HTTPField.Name("traceparent")

    /// `request` with its trace context, which is logged. One that the source's own `headers` set stays.
    func added(to request: HTTPRequest) -> HTTPRequest {
        guard let name = Self.parent, request.headerFields[name] == nil else { return request }
        var request = request
        let tracer = InstrumentationSystem.tracer
        if tracer is NoOpTracer {
            request.headerFields[name] = randomParent()
        } else if let context = InstrumentationContext.current {
            tracer.inject(context, into: &request.headerFields, using: FieldInjector())
        }
        let value = request.headerFields[name] ?? ""
        logger.debug(
            "trace context is sent",
            metadata: [
                "traceparent": "\(value)", "method": "\(request.method)",
                "url": "\(Redaction.url(of: request, also: secretQueryNames))",
            ])
        return request
    }

    /// Version 00, two ids that are not all zero, and the flag that this side has a record of them: its log.
    private func randomParent() -> String { "00-\(hexadecimal(bytes: 16))-\(hexadecimal(bytes: 8))-01" }

    private func hexadecimal(bytes count: Int) -> String {
        let bytes = (1..<count).map { _ in jitter.number(below: 256) } + [1 + jitter.number(below: 255)]
        return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

private struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout HTTPFields) {
        guard let name = HTTPField.Name(key) else { return }
        carrier[name] = value
    }
}

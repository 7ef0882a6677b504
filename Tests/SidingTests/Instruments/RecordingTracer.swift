// SPDX-License-Identifier: Apache-2.0
import SidingSynchronization
import Tracing

/// Keeps the spans that ended, for a test.
final class RecordingTracer: Tracer {
    private let ended = Mutex<[RecordedSpan]>([])
    private let count = Atomic<Int>(0)

    /// In the order of their ends.
    var spans: [RecordedSpan] { ended.withLock { $0 } }

    func spans(named name: String) -> [RecordedSpan] { spans.filter { $0.operationName == name } }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> RecordedSpan {
        var context = context()
        let parent = context[SpanNumber.self]
        let number = count.add(1, ordering: .relaxed).newValue
        context[SpanNumber.self] = number
        return RecordedSpan(operationName, number: number, parent: parent, context: context) { [self] span in
            ended.withLock { $0.append(span) }
        }
    }

    func forceFlush() {}

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {}

    func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let number = context[SpanNumber.self] else { return }
        injector.inject("00-trace-\(number)-01", forKey: "traceparent", into: &carrier)
    }
}

private enum SpanNumber: InstrumentationContextKey {
    typealias Value = Int
}

final class RecordedSpan: Span {
    let number: Int
    /// The number of the span around this one.
    let parent: Int?
    let context: InstrumentationContext
    private let name: String
    private let onEnd: @Sendable (RecordedSpan) -> Void
    private let state = Mutex<(attributes: SpanAttributes, failure: String?)>(([:], nil))

    init(
        _ name: String, number: Int, parent: Int?, context: InstrumentationContext,
        onEnd: @escaping @Sendable (RecordedSpan) -> Void
    ) {
        (self.name, self.number, self.parent, self.context, self.onEnd) = (name, number, parent, context, onEnd)
    }

    /// The text of an attribute that is a text or a number.
    subscript(_ name: String) -> String? {
        switch attributes.get(name) {
        case .string(let text): text
        case .int64(let number): String(number)
        default: nil
        }
    }

    /// The message of an error status.
    var failure: String? { state.withLock { $0.failure } }

    var operationName: String {
        get { name }
        set {}
    }

    var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { state.withLock { $0.attributes = newValue } }
    }

    func setStatus(_ status: SpanStatus) {
        state.withLock { $0.failure = status.code == .error ? status.message : nil }
    }

    var isRecording: Bool { true }
    func addEvent(_ event: SpanEvent) {}
    func addLink(_ link: SpanLink) {}
    func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {}
    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) { onEnd(self) }
}

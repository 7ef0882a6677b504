// SPDX-License-Identifier: Apache-2.0
internal import Metrics
internal import SidingSynchronization

/// One metric with one set of labels. It takes the calls of every kind of instrument; its registry hands it out as one.
final class MetricSeries: Sendable {
    /// The upper bounds of a timer's buckets, in seconds: from an answer nearby to a listing over a thin line.
    static let bounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800]

    /// A metric's name and labels, as Prometheus allows them.
    struct Name: Hashable, Comparable {
        let metric: String
        let labels: [String]
        let values: [String]

        init(_ label: String, _ dimensions: [(String, String)]) {
            metric = Self.plain(label, allowsColon: true)
            let sorted = dimensions.map { (Self.plain($0.0, allowsColon: false), $0.1) }.sorted { $0 < $1 }
            (labels, values) = (sorted.map(\.0), sorted.map(\.1))
        }

        private static func plain(_ name: String, allowsColon: Bool) -> String {
            let plain = name.map { character in
                let isPlain = character.isASCII && (character.isLetter || character.isNumber || character == "_")
                return isPlain || (allowsColon && character == ":") ? character : "_"
            }
            return plain.first.map { $0.isNumber } ?? true ? "_\(String(plain))" : String(plain)
        }

        static func < (one: Name, other: Name) -> Bool {
            if one.metric != other.metric { return one.metric < other.metric }
            if one.labels != other.labels { return one.labels.lexicographicallyPrecedes(other.labels) }
            return one.values.lexicographicallyPrecedes(other.values)
        }
    }

    private struct State {
        /// The sum of what was counted or recorded; of a gauge the last value.
        var value = 0.0
        var count = 0
        /// How many recorded values are in each of ``MetricSeries/bounds``, and above the last one.
        var buckets = [Int](repeating: 0, count: MetricSeries.bounds.count + 1)
        var isAggregate = false
    }

    let name: Name
    private let state: Mutex<State>

    /// - Parameter isAggregate: whether recorded values are summed.
    init(_ name: Name, isAggregate: Bool) {
        self.name = name
        state = Mutex(State(isAggregate: isAggregate))
    }

    func samples(as kind: MetricFamily.Kind) -> [MetricFamily.Sample] {
        let state = state.withLock { $0 }
        let labels = zip(name.labels, name.values).map { (name: $0, value: $1) }
        let totals = [
            MetricFamily.Sample(suffix: "_sum", labels: labels, value: state.value),
            MetricFamily.Sample(suffix: "_count", labels: labels, value: Double(state.count)),
        ]
        switch kind {
        case .counter, .gauge: return [MetricFamily.Sample(labels: labels, value: state.value)]
        case .summary: return totals
        case .histogram:
            var below = 0
            return zip(Self.bounds + [.infinity], state.buckets).map { bound, count in
                below += count
                return MetricFamily.Sample(
                    suffix: "_bucket", labels: labels + [("le", MetricFamily.number(bound))], value: Double(below))
            } + totals
        }
    }

    private func note(_ value: Double) {
        let bucket = Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count
        state.withLock { state in
            state.count += 1
            state.buckets[bucket] += 1
            state.value = state.isAggregate ? state.value + value : value
        }
    }
}

extension MetricSeries: CounterHandler, FloatingPointCounterHandler {
    func increment(by amount: Int64) { increment(by: Double(amount)) }

    func increment(by amount: Double) {
        state.withLock { $0.value += amount }
    }

    func reset() {
        state.withLock { $0.value = 0 }
    }
}

extension MetricSeries: MeterHandler {
    func set(_ value: Int64) { set(Double(value)) }

    func set(_ value: Double) {
        state.withLock { $0.value = value }
    }

    func decrement(by amount: Double) { increment(by: -amount) }
}

extension MetricSeries: RecorderHandler, TimerHandler {
    func record(_ value: Int64) { note(Double(value)) }

    func record(_ value: Double) { note(value) }

    func recordNanoseconds(_ duration: Int64) { note(Double(duration) / 1_000_000_000) }
}

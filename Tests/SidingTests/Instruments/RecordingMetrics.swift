// SPDX-License-Identifier: Apache-2.0
import Metrics
import SidingSynchronization

/// Keeps what instruments count, for a test.
final class RecordingMetrics: MetricsFactory {
    private let noted = Mutex<[String: [Int64]]>([:])

    /// The sum of each counter and the number of values of each timer, by name and labels: `a_total{source=api}`.
    var counts: [String: Int] {
        noted.withLock { noted in
            Dictionary(
                uniqueKeysWithValues: noted.map {
                    ($0, Int($0.contains("seconds") ? Int64($1.count) : $1.reduce(0, +)))
                })
        }
    }

    /// The nanoseconds of a timer.
    func nanoseconds(_ name: String) -> [Int64] { noted.withLock { $0[name] ?? [] } }

    fileprivate func note(_ value: Int64, of name: String) {
        noted.withLock { $0[name, default: []].append(value) }
    }

    private func instrument(_ label: String, _ dimensions: [(String, String)]) -> RecordedInstrument {
        let labels = dimensions.map { "\($0.0)=\($0.1)" }.joined(separator: ",")
        return RecordedInstrument(name: labels.isEmpty ? label : "\(label){\(labels)}", metrics: self)
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        instrument(label, dimensions)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { instrument(label, dimensions) }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        NOOPMetricsHandler.instance
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}

private final class RecordedInstrument: CounterHandler, TimerHandler {
    let name: String
    let metrics: RecordingMetrics

    init(name: String, metrics: RecordingMetrics) {
        (self.name, self.metrics) = (name, metrics)
    }

    func increment(by amount: Int64) { metrics.note(amount, of: name) }
    func reset() {}
    func recordNanoseconds(_ duration: Int64) { metrics.note(duration, of: name) }
}

// SPDX-License-Identifier: Apache-2.0
package import Metrics
internal import Siding
internal import SidingSynchronization

/// Holds what a process counts and times through swift-metrics, and prints it in Prometheus' text format.
///
/// ```swift
/// let registry = MetricsRegistry()
/// MetricsSystem.bootstrap(registry)
/// … registry.text()
/// ```
/// A name belongs to the kind of its first instrument. At most ``mostSeries`` series are kept, so that a label without bound
/// cannot fill the memory: further ones are counted in `siding_metrics_dropped_total` and lose their values.
package final class MetricsRegistry: MetricsFactory {
    package static let mostSeries = 10_000

    private struct State {
        var kinds: [String: MetricFamily.Kind] = [:]
        var series: [MetricSeries.Name: MetricSeries] = [:]
        var dropped = 0
    }

    private let state = Mutex(State())
    private let limit: Int

    /// - Parameter limit: the most series that are kept.
    package init(limit: Int = MetricsRegistry.mostSeries) {
        self.limit = limit
    }

    /// All metrics by name, each with its series by label.
    package func text() -> String {
        let (kinds, series, dropped) = state.withLock { ($0.kinds, Array($0.series.values), $0.dropped) }
        let byName = Dictionary(grouping: series, by: \.name.metric)
        let families = byName.keys.sorted().map { name in
            let kind = kinds[name] ?? .gauge
            let samples = byName[name, default: []].sorted { $0.name < $1.name }.flatMap { $0.samples(as: kind) }
            return MetricFamily(
                name: name, kind: kind, help: Instrument(rawValue: name)?.help ?? "Of the program.", samples: samples)
        }
        let losses = MetricFamily(
            name: "siding_metrics_dropped_total", kind: .counter,
            help: "Values that were dropped, because there are too many series or a name has two kinds.",
            samples: [MetricFamily.Sample(value: Double(dropped))])
        return MetricFamily.text(families + [losses])
    }

    private func series(_ kind: MetricFamily.Kind, _ label: String, _ dimensions: [(String, String)]) -> MetricSeries? {
        let name = MetricSeries.Name(label, dimensions)
        return state.withLock { state in
            let isOfKind = state.kinds[name.metric].map { $0 == kind } ?? true
            if isOfKind, let series = state.series[name] { return series }
            guard isOfKind, state.series.count < limit else {
                state.dropped += 1
                return nil
            }
            let series = MetricSeries(name, isAggregate: kind != .gauge)
            state.kinds[name.metric] = kind
            state.series[name] = series
            return series
        }
    }

    /// Forgets a series whose instrument the program destroyed.
    private func remove(_ handler: AnyObject) {
        guard let series = handler as? MetricSeries else { return }
        state.withLock { state in
            guard state.series[series.name] === series else { return }
            state.series[series.name] = nil
        }
    }
}

extension MetricsRegistry {
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(.counter, label, dimensions) ?? NOOPMetricsHandler.instance
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(.counter, label, dimensions) ?? NOOPMetricsHandler.instance
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(.gauge, label, dimensions) ?? NOOPMetricsHandler.instance
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        series(aggregate ? .summary : .gauge, label, dimensions) ?? NOOPMetricsHandler.instance
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(.histogram, label, dimensions) ?? NOOPMetricsHandler.instance
    }

    package func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { remove(handler) }
    package func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
    package func destroyTimer(_ handler: any TimerHandler) { remove(handler) }
}

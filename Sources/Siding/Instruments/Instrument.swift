// SPDX-License-Identifier: Apache-2.0
internal import Metrics
internal import SidingChain

/// What a process counts and times as it works, through swift-metrics. `Docs/Metrics.md` describes each.
///
/// The figures are those of this process since its start. Those of the store, which all processes share, are read from it:
/// `MetricsText` of `SidingInspection`.
package enum Instrument: String, CaseIterable, Sendable {
    case runs = "siding_runs_total"
    case runDuration = "siding_run_duration_seconds"
    case pages = "siding_pages_total"
    case pageDuration = "siding_page_duration_seconds"
    case requests = "siding_requests_total"
    case deliveries = "siding_deliveries_total"
    case deliveryDuration = "siding_delivery_duration_seconds"

    /// What it says, for a person.
    package var help: String {
        switch self {
        case .runs: "Runs that ended in this process, by outcome."
        case .runDuration: "How long the runs of this process took."
        case .pages: "Pages that this process fetched, by resource and outcome."
        case .pageDuration:
            "How long the pages of this process took: from the request, with its retries, to the last byte."
        case .requests: "Requests that this process sent, by source and class of the answer."
        case .deliveries: "Tries to deliver a write in this process, by source and the state of the entry afterwards."
        case .deliveryDuration: "How long the deliveries of this process took."
        }
    }

    /// Counts one more. A label has few values: resources, sources and outcomes, never a URL or an id.
    func count(_ labels: (String, String)...) {
        guard let factory = Self.factory else { return }
        factory.makeCounter(label: rawValue, dimensions: labels).increment(by: 1)
    }

    /// Times one more.
    func record(_ duration: Duration, _ labels: (String, String)...) {
        guard let factory = Self.factory else { return }
        let (seconds, attoseconds) = duration.components
        let nanoseconds = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        factory.makeTimer(label: rawValue, dimensions: labels)
            .recordNanoseconds(nanoseconds.overflow ? .max : nanoseconds.partialValue + attoseconds / 1_000_000_000)
    }

    /// The program's factory, or that of the surrounding `withMetricsFactory`; nil if nobody collects.
    private static var factory: (any MetricsFactory)? {
        let factory = MetricsSystem.factory
        return factory is NOOPMetricsHandler ? nil : factory
    }
}

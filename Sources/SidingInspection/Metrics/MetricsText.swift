// SPDX-License-Identifier: Apache-2.0
package import Siding
package import SidingChain

/// The state of a store as Prometheus reads it: what `siding status` shows, for `/metrics` and for `--metrics-file`.
///
/// The figures are those of all processes, as they are read from the store. `Docs/Metrics.md` describes each.
package enum MetricsText {
    /// - Throws: ``StoreError`` if the store cannot be read.
    package static func text(
        resources: [AnyResource], targets: [PublishedTarget] = [], store: Store, now: Timestamp
    ) async throws -> String {
        let overview = try await Overview.gather(resources, targets: targets, store, maxAge: nil, now: now)
        let limits = Dictionary(resources.map { ($0.name, $0.maxAge) }) { first, _ in first }
        return MetricFamily.text(
            Self.resources(overview, maxAges: limits) + queue(overview.queue)
                + sources(overview) + publications(overview.targets) + runs(overview) + database(overview))
    }

    private static func resources(_ overview: Overview, maxAges: [String: Duration?]) -> [MetricFamily] {
        func gauge(
            _ name: String, _ help: String, _ value: (Overview.ResourceLine) -> Double?
        ) -> MetricFamily {
            .gauge(
                "siding_resource_\(name)", help, of: overview.resources,
                labels: { [("resource", $0.name), ("source", $0.source)] }, value)
        }
        return [
            gauge("records", "Records that are stored and not deleted.") { Double($0.state?.records ?? 0) },
            gauge("quarantined_records", "Records in quarantine.") { Double($0.state?.quarantined ?? 0) },
            gauge("missing_records", "Records that the last complete listings lack, and that are not deleted yet.") {
                Double($0.state?.missing ?? 0)
            },
            gauge("completed_timestamp_seconds", "When the last complete listing ended; none before the first.") {
                $0.state?.completedAt?.metric
            },
            gauge("max_age_seconds", "The configured max_age; none without one.") { maxAges[$0.name]??.metric },
            gauge("stale", "Whether the records are older than max_age.") { $0.isStale.metric },
            gauge("failing", "Whether the last sync failed, or waits in the queue.") { ($0.failure != nil).metric },
            gauge("failing_since_timestamp_seconds", "When the first of the failed syncs began; none if none fails.") {
                $0.failure?.since.metric
            },
            gauge("incomplete", "Whether the last listing is incomplete.") { ($0.state?.incomplete != nil).metric },
            gauge("running", "Whether a process syncs it now.") { $0.isRunning.metric },
            gauge("next_due_timestamp_seconds", "When its schedule has siding serve sync it next; none without one.") {
                $0.nextDueAt?.metric
            },
        ]
    }

    private static func queue(_ shares: [QueueShare]) -> [MetricFamily] {
        func gauge(_ name: String, _ help: String, _ value: (QueueShare) -> Double?) -> MetricFamily {
            .gauge(
                "siding_queue_\(name)", help, of: shares,
                labels: {
                    [("source", $0.source), ("state", $0.state.rawValue), ("reason", $0.reason?.rawValue ?? "")]
                }, value)
        }
        return [
            gauge("entries", "Open entries of the queue, writes and pages; reason is empty unless parked or waiting.") {
                Double($0.count)
            },
            gauge("oldest_entry_timestamp_seconds", "When the oldest of these entries was created.") {
                $0.oldest.metric
            },
        ]
    }

    private static func sources(_ overview: Overview) -> [MetricFamily] {
        let labels = { (limit: RateLimitReport) in
            [
                ("source", limit.source), ("match", limit.match), ("unit", (limit.rate?.unit ?? .requests).rawValue),
                ("per", limit.rate.map { DurationText.text($0.window) } ?? ""),
            ]
        }
        return [
            .gauge(
                "siding_source_gate_closed", "1 for a source that is not asked at the moment, and why.",
                of: overview.gates, labels: { [("source", $0.source), ("reason", $0.reason.rawValue)] }
            ) { _ in 1 },
            .gauge(
                "siding_rate_limit_used", "Requests or bytes that count for a configured limit now.",
                of: overview.limits, labels: labels
            ) { Double($0.used) },
            .gauge(
                "siding_rate_limit_allowed", "How many the limit allows; none if only the origin limits.",
                of: overview.limits, labels: labels
            ) { ($0.rate?.count).map(Double.init) },
            .gauge(
                "siding_rate_limit_origin_remaining",
                "What is left by the origin's own count; none if it says nothing.",
                of: overview.limits, labels: labels
            ) { $0.remaining.map(Double.init) },
        ]
    }

    private static func publications(_ targets: [PublicationState]) -> [MetricFamily] {
        func gauge(_ name: String, _ help: String, _ value: (PublicationState) -> Double?) -> MetricFamily {
            .gauge("siding_publish_\(name)", help, of: targets, labels: { [("target", $0.target.name)] }, value)
        }
        return [
            gauge("behind_records", "Records that have changed since they were published.") { Double($0.behind) },
            gauge("oldest_change_timestamp_seconds", "When the oldest of these changes was made; none without one.") {
                $0.oldestChangeAt?.metric
            },
            gauge("failing", "Whether the last publication failed, of a resource at least.") {
                (!$0.failures.isEmpty).metric
            },
        ]
    }

    private static func runs(_ overview: Overview) -> [MetricFamily] {
        let run = overview.lastRun
        return [
            MetricFamily(
                name: "siding_runs_started_total", kind: .counter, help: "Runs that any process ever started.",
                samples: [MetricFamily.Sample(value: Double(run?.id ?? 0))]),
            .gauge(
                "siding_last_run_outcome", "1 for the outcome of the newest run.",
                of: (run?.outcome?.rawValue ?? run.map { _ in "running" }).map { [$0] } ?? [],
                labels: { [("outcome", $0)] }
            ) { _ in 1 },
            .gauge("siding_last_run_start_timestamp_seconds", "When the newest run began.", run?.startedAt.metric),
            .gauge(
                "siding_last_run_end_timestamp_seconds", "When the newest run ended; none while it runs.",
                run?.endedAt?.metric),
        ]
    }

    private static func database(_ overview: Overview) -> [MetricFamily] {
        [
            .gauge(
                "siding_last_day_bytes", "Bytes that the network carried for the syncs of the last 24 hours.",
                Double(overview.bytesLastDay)),
            .gauge("siding_route_usable", "Whether this machine has a route to a network.", overview.hasRoute.metric),
            .gauge(
                "siding_database_bytes", "The size of the database with its write-ahead log.",
                Double(overview.database.bytes)),
            .gauge(
                "siding_database_free_bytes", "Space in the file that holds nothing.",
                Double(overview.database.freeBytes)),
            .gauge(
                "siding_database_part_bytes", "What fills the file; none for a large file.",
                of: StoreSizes.Part.allCases.flatMap { part in
                    let sizes = overview.sizes?.sizes.filter { $0.part == part } ?? []
                    return sizes.sorted { $0.resource ?? "" < $1.resource ?? "" }
                }, labels: { [("part", $0.part.rawValue), ("resource", $0.resource ?? "")] }
            ) { Double($0.bytes) },
        ]
    }
}

extension Bool {
    fileprivate var metric: Double { self ? 1 : 0 }
}

extension Timestamp {
    /// Seconds since 1970.
    fileprivate var metric: Double { Double(microseconds) / 1_000_000 }
}

extension Duration {
    /// Seconds.
    fileprivate var metric: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

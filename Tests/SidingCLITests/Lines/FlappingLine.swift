import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingOrigin
import SidingTesting
import Testing

/// The origin, the relay before it, and a sandbox whose config leads through that.
struct FlappingLine {
    static let resources = Proof.choose(short: 3, middle: 6, long: 20)
    static let writes = Proof.choose(short: 40, middle: 200, long: 1_000)
    static let lanes = 8
    static let records = 400
    /// For so long the line flaps.
    static let span = Proof.choose(short: Duration.seconds(3), middle: .seconds(15), long: .seconds(600))
    static let rounds = Proof.choose(short: 3, middle: 8, long: 30)
    static let quality = LineQuality(latency: .milliseconds(2), bytesPerSecond: 400_000)
    static let stages = Proof.choose(
        short: TimedStages(
            seed: 16, up: .milliseconds(200) ... .milliseconds(1_500), down: .milliseconds(100) ... .milliseconds(800),
            quality: quality),
        middle: TimedStages(
            seed: 16, up: .milliseconds(200) ... .seconds(3), down: .milliseconds(100) ... .seconds(2),
            quality: quality),
        long: TimedStages(
            seed: 16, up: .seconds(1) ... .seconds(20), down: .milliseconds(500) ... .seconds(10), quality: quality))

    let items: [(name: String, records: Dataset)]
    let ledger = WriteLedger(seed: 1)
    let origin: Origin
    let relay: Relay
    let sandbox: Sandbox

    init() async throws {
        items = (1...Self.resources).map {
            ("r\($0)", .filled(Self.records, size: 250))
        }
        let routes = items.map { RecordListing("/\($0.name)", of: $0.records, pageSize: 50, validators: [.etag]) }
        let later = OriginResponse.json("{}", status: .serviceUnavailable, headerFields: [.retryAfter: "3600"])
        let ledger = self.ledger
        origin = try await Origin.start(compresses: false) { request in
            if request.path == "/later" { return later }
            if let answer = await ledger.answer(request) { return answer }
            for route in routes { if let answer = await route.answer(request) { return answer } }
            return .notFound
        }
        relay = try await Relay.start(to: origin.url)
        sandbox = try Sandbox()
        let resources = items.map { "  \($0.name): { source: far, path: /\($0.name), key: id }" }
        try sandbox.config(
            """
            version: 1
            database: { path: test.db }
            sources:
              far:
                base_url: \(relay.url.origin)
                http: { idle_timeout: 500ms, connect_timeout: 500ms }
                retry: { inline: 0, base: 50ms, cap: 1s }
                idempotency: { header: Idempotency-Key }
              near: { base_url: \(origin.url.origin) }
            resources:
            \(resources.joined(separator: "\n"))
            """)
    }

    /// As cron would: syncs all resources, some records of which have changed at the origin.
    func sync(_ round: Int) async throws {
        for (_, records) in items {
            let number = (round * 37) % Self.records + 1
            records.put(.init(key: "\(number)", json: #"{"id":\#(number),"text":"round \#(round)"}"#))
        }
        let ended = try await sandbox.siding(["sync"], limit: .seconds(300))
        // 11: the service syncs the resource now.
        #expect([0, 11, 75].contains(ended.status), "round \(round): exit \(ended.status): \(ended.everything)")
    }

    func write(_ number: Int, _ store: Store) async throws {
        let lane = "l\(number % Self.lanes)"
        _ = try await store.enqueue(
            WriteRequest(
                to: "far", .post, HTTPURL("\(relay.url.origin)/lanes/\(lane)/\(number)"), body: Array("{}".utf8),
                lane: lane, idempotency: Idempotency()))
    }

    /// Lets the line flap while cron syncs and writes are made, then brings it back and waits until all is synced and sent.
    ///
    /// - Parameters:
    ///   - beside: runs after each sync of cron.
    ///   - wrote: is called after each write with its number.
    func flap(
        _ store: Store, beside: @escaping @Sendable () async throws -> Void = {}, wrote: (Int) -> Void = { _ in }
    ) async throws {
        await relay.follow(Self.stages)
        let start = ContinuousClock.now
        async let syncs: Void = {
            for round in 1...Self.rounds {
                try await sync(round)
                try await beside()
                try await Task.sleep(until: start + Self.span * round / Self.rounds)
            }
        }()
        for number in 1...Self.writes {
            try await write(number, store)
            try await Task.sleep(until: start + Self.span * number / Self.writes)
            wrote(number)
        }
        try await syncs
        await relay.set(.up())
        // The first one may go on with a listing that began before the last changes.
        for _ in 1...2 {
            let last = try await sandbox.siding(["sync", "--wait-lock", "60s"], limit: .seconds(120))
            #expect(last.status == 0, "the last syncs, over a good line: \(last.everything)")
        }
        try await drained(store)
    }

    /// With a write that waits for an hour the service does not end.
    func keepBusy(_ store: Store) async throws {
        _ = try await store.enqueue(
            WriteRequest(to: "near", .post, HTTPURL("\(origin.url.origin)/later"), idempotency: Idempotency()))
    }

    /// Waits until nothing of the line's source is left that goes on by itself.
    func drained(_ store: Store) async throws {
        let open = QueueSelection(sources: ["far"], states: [.queued, .sending])
        while try await !store.entries(open).isEmpty { try await Task.sleep(for: .milliseconds(20)) }
    }

    func expectAllThere(_ store: Store) async throws {
        let page = ledger.entries
        let outages = await relay.log.count { if case .state(.down) = $0.kind { true } else { false } }
        print("\(outages) outages, \(page.effects.count) writes arrived with \(page.arrivals.count) requests")
        #expect(page.effects.count == Self.writes, "writes that arrived")
        #expect(page.duplicates == 0, "writes that arrived twice")
        #expect(page.inversions() == 0, "writes that arrived behind a later one of their lane")
        let parked = try await store.entries(QueueSelection(states: [.parked]))
        #expect(parked.isEmpty, "\(parked.map { "\($0.method) \($0.url) \($0.reason?.rawValue ?? "")" })")
        for (name, records) in items {
            #expect(try await sandbox.differences(from: records, name) == [], "\(name)")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingOrigin
import SidingTesting
import Testing
import TestSupport

/// The origin, the link before it, and a sandbox whose config leads through that.
struct FlappingLine {
    static let resources = Proof.choose(short: 3, middle: 6, long: 20)
    static let writes = Proof.choose(short: 40, middle: 200, long: 1_000)
    static let lanes = 8
    static let records = 400
    /// For so long the line flaps, unless a test says otherwise.
    static let span = Proof.choose(short: Duration.seconds(3), middle: .seconds(8), long: .seconds(600))
    static let rounds = Proof.choose(short: 3, middle: 5, long: 30)
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
    let link: FlappingLink
    /// What leads through the link: scheme, host and port.
    let address: String
    let sandbox: Sandbox
    private let span: Duration

    init(over kind: FlappingLink.Kind = .relay, for span: Duration = Self.span) async throws {
        self.span = span
        items = (1...Self.resources).map {
            ("r\($0)", .filled(Self.records, size: 250))
        }
        let routes = items.map { RecordListing("/\($0.name)", of: $0.records, pageSize: 50, validators: [.etag]) }
        let later = OriginResponse.json("{}", status: .serviceUnavailable, headerFields: [.retryAfter: "3600"])
        let ledger = self.ledger
        let handler: Origin.Handler = { request in
            if request.path == "/later" { return later }
            if request.path == "/refused" { return .json("{}", status: .unprocessableContent) }
            if let answer = await ledger.answer(request) { return answer }
            for route in routes { if let answer = await route.answer(request) { return answer } }
            return .notFound
        }
        switch kind {
        case .relay:
            origin = try await Origin.start(compresses: false, handler: handler)
            let relay = try await Relay.start(to: origin.url)
            (link, address) = (.relay(relay), relay.url.origin)
        case .gateway:
            let gateway = try await Gateway()
            let socket = try await gateway.cable.there.enter { try ListeningSocket(at: Gateway.address) }
            origin = try await Origin.start(on: socket, compresses: false, handler: handler)
            (link, address) = (.gateway(gateway), origin.url.origin)
        }
        sandbox = try Sandbox()
        try configure()
    }

    /// Writes the config.
    ///
    /// - Parameter age: of the resources, after which a service syncs them.
    func configure(maxAge age: String = "1s") throws {
        let resources = items.map { "  \($0.name): { source: far, path: /\($0.name), key: id, max_age: \(age) }" }
        try sandbox.config(
            """
            version: 1
            database: { path: test.db }
            sources:
              far:
                base_url: \(address)
                http: { idle_timeout: 500ms, connect_timeout: 500ms, allow_plain_http: true }
                retry: { inline: 0, base: 50ms, cap: 1s }
                idempotency: { header: Idempotency-Key }
              near: { base_url: \(origin.url.origin), http: { allow_plain_http: true } }
            resources:
            \(resources.joined(separator: "\n"))
            """)
    }

    /// Runs `siding` at this end of the link.
    func siding(
        _ arguments: [String], limit: Duration = .seconds(60),
        beside body: @escaping @Sendable (Child) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        guard case .gateway(let gateway) = link else {
            return try await sandbox.siding(arguments, limit: limit, beside: body)
        }
        let here = ["netns", "exec", gateway.cable.here.name, try SidingBinary.path()]
        return try await sandbox.run(
            #require(NetworkNamespace.program), here + arguments, limit: limit, beside: body)
    }

    /// As cron would: syncs all resources, some records of which have changed at the origin.
    func sync(_ round: Int) async throws {
        for (_, records) in items {
            let number = (round * 37) % Self.records + 1
            records.put(.init(key: "\(number)", json: #"{"id":\#(number),"text":"round \#(round)"}"#))
        }
        let ended = try await siding(["sync"], limit: .seconds(300))
        // 11: the service syncs the resource now.
        #expect([0, 11, 75].contains(ended.status), "round \(round): exit \(ended.status): \(ended.everything)")
    }

    private func lane(_ number: Int) -> String { "l\(number % Self.lanes)" }

    /// As a program would.
    func write(_ number: Int, _ store: Store) async throws {
        let lane = lane(number)
        _ = try await store.enqueue(
            WriteRequest(
                to: "far", .post, HTTPURL("\(address)/lanes/\(lane)/\(number)"), body: Array("{}".utf8),
                idempotency: Idempotency()
            )
            .with(\.lane, lane))
    }

    /// As a person would.
    func send(_ number: Int) async throws {
        let lane = lane(number)
        let ended = try await siding(["send", "POST", "far:/lanes/\(lane)/\(number)", "-d", "{}", "--lane", lane])
        #expect([0, 75].contains(ended.status), "write \(number): exit \(ended.status): \(ended.everything)")
    }

    /// Lets the line flap while cron syncs and writes are made, then brings it back and waits until all is synced and sent.
    ///
    /// - Parameters:
    ///   - beside: runs after each sync of cron.
    ///   - write: makes the write with a number.
    ///   - wrote: is called after each write with its number.
    func flap(
        _ store: Store, beside: @escaping @Sendable () async throws -> Void = {},
        write: (Int) async throws -> Void, wrote: (Int) -> Void = { _ in }
    ) async throws {
        try await link.flap(Self.stages) {
            let start = ContinuousClock.now
            async let syncs: Void = {
                for round in 1...Self.rounds {
                    try await sync(round)
                    try await beside()
                    try await Task.sleep(until: start + span * round / Self.rounds)
                }
            }()
            for number in 1...Self.writes {
                try await write(number)
                try await Task.sleep(until: start + span * number / Self.writes)
                wrote(number)
            }
            try await syncs
        }
        // The first one may go on with a listing that began before the last changes.
        for _ in 1...2 {
            let last = try await siding(["sync", "--wait-lock", "60s"], limit: .seconds(120))
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
        print(
            "\(await link.outages) outages, \(page.effects.count) writes arrived with \(page.arrivals.count) requests")
        #expect(page.effects.count == Self.writes, "writes that arrived")
        #expect(page.duplicates == 0, "writes that arrived twice")
        #expect(page.inversions() == 0, "writes that arrived behind a later one of their lane")
        let parked = try await store.entries(QueueSelection(states: [.parked]))
        #expect(parked.isEmpty, "\(parked.map { "\($0.method) \($0.url) \($0.reason?.rawValue ?? "")" })")
        for (name, records) in items {
            #expect(try await sandbox.differences(from: records, name) == [], "\(name)")
        }
    }

    func stop() async {
        await link.stop()
        await origin.stop()
    }
}

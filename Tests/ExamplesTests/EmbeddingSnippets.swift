// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Logging
import Siding
import SidingChain
import SidingCredentials
import SidingHTTP
import SidingHub
import SidingJSON
import SidingModels
import SidingNetwork
import SidingSchedule

/// The snippets of Docs/Embedding.md, word for word.
struct EmbeddingSnippets {
    struct Draft: Codable, Sendable { var title: String }
    struct Issue: Codable, Sendable, Equatable { var id: Int, title: String?, state: String? }

    let url: String
    let path: String
    var environment: [String: String] = [:]

    func calls() async throws -> QueueEntry.State {
        let tracker = try Source(baseURL: url)
        let issues = AnyResource("issues", from: tracker, at: "/issues", key: "id", paging: .linkHeader)
        let siding = try await Siding(
            store: .sqlite(path: path), resources: [issues], transports: HTTPTransports())

        try await siding.sync(issues)
        for record in try await siding.rawRecords(of: issues, limit: 10) { print(record.key, record.body.count) }
        let draft = ["title": "Gate 4 does not close"]
        let entry = try await siding.send(.json(.post, "/issues", draft, to: tracker))
        print(entry.state)  // done, queued for later, or parked until somebody decides
        try await write(issues, tracker, siding)
        let state = entry.state
        await siding.close()
        return state
    }

    private func write(_ issues: AnyResource, _ tracker: Source, _ siding: Siding) async throws {
        var write = try WriteRequest.json(.patch, "/issues/7", ["state": "closed"], to: tracker)
        write.edit = WriteEdit(.merge, of: issues, key: "7", conflict: .merge)  // shows at once
        try await siding.send(write)
    }

    /// Those of Docs/Chains.md.
    func ownWrites(_ siding: Siding, _ resource: Resource<Issue>) async throws {
        let created = try await siding.create(Draft(title: "Gate 4 does not close"), in: resource)
        try await siding.update(key: 7, with: ["state": "closed"], in: resource, conflict: .merge, after: [created.id])
        try await siding.delete(key: 8, in: resource)
        for record in try await siding.pendingCreations(of: resource) {
            print(record.key, try resource.model(of: record, as: Draft.self).title)
        }
    }

    func errors(_ siding: Siding, _ issues: AnyResource) async {
        do { print(try await siding.sync(issues)) } catch {
            if error.failure?.isOffline == true { print("no network") }
            if let holder = error.heldBy { print("\(holder) syncs it") }
        }
    }

    func publish(_ siding: Siding, _ issues: AnyResource) async throws {
        let hub = HubTarget(
            "fleet", to: "postgresql://siding@hub.example.com/fleet",
            password: Secret("HUB_PASSWORD") { environment["HUB_PASSWORD"] ?? "" }, station: "van-17",
            resources: [issues])
        for report in try await siding.publish(to: hub) {
            print("\(report.resource): \(report.error?.message ?? "\(report.rows) sent")")
        }
    }

    func events(_ siding: Siding) async {
        for await event in siding.events {
            switch event {
            case .recordsChanged(let resource): print("read \(resource) again")
            case .missed(let count): print("\(count) events were dropped")
            case .runBegan, .pageSaved, .entryChanged, .runEnded: print(event)
            }
        }
    }

    func health(_ siding: Siding) async -> Siding.Health {
        let health = await siding.health
        if let error = health.storeError { print("the store cannot be read: \(error)") }
        if let failure = health.storeFailure { print("nothing can be stored: \(failure)") }
        for resource in health.resources where !resource.isWell {
            print("\(resource.name): \(resource.error?.message ?? resource.incomplete ?? "too old, or never complete")")
            if let complete = resource.completedAt { print("complete \(WallClock.system.now - complete) ago") }
            if let next = resource.nextSync { print("next sync at \(next.rfc3339)") }
        }
        for gate in health.gates { print("writes to \(gate.source) wait: \(gate.note)") }
        if let since = health.dueSince { print("a write is due since \(since.rfc3339)") }
        if let look = health.lastPoll { print("run() looked for work at \(look.rfc3339)") }
        return health
    }

    /// What a person says.
    private func prefersMine(_ sides: ConflictReport) -> Bool { sides.theirs == sides.base }
    private func isAtOrigin(_ entry: QueueEntry) -> Bool { false }

    func queue(_ siding: Siding) async throws {
        for entry in try await siding.queueEntries() where entry.kind == .write {
            print("\(entry.shortID) \(entry.method) \(entry.url): \(entry.lastError?.message ?? "\(entry.state)")")
            if entry.reason == .signIn { try await siding.retry(entry) }
            if entry.reason == .rejected { try await siding.drop(entry) }
            if entry.reason == .conflict, let sides = try await siding.conflict(of: entry) {
                try await siding.resolve(entry, prefersMine(sides) ? .mine : .theirs)  // a person decides
            }
            if entry.reason == .uncertain, isAtOrigin(entry) { try await siding.resolve(entry, .arrived()) }
        }
    }

    func declared() throws -> [AnyResource] {
        var shop = try Source(baseURL: url)
        shop.authorization = .bearer { environment["SHOP_TOKEN"] ?? "" }  // read for each request
        shop.idempotency = Idempotency()  // it honours Idempotency-Key: a write without an answer is sent again
        var products = AnyResource(
            "products", from: shop, at: "/products", key: "id", paging: .page(Paging.PageNumbers(size: 100)))
        products.records = "$.items"  // left out: the only list of the answer
        products.deletions = Deletions(byAbsence: true)  // missing from two complete listings: deleted
        products.maxAge = .seconds(300)
        return [products]
    }

    func close(_ siding: Siding) async {
        await siding.close()
    }

    func scheduled(_ issues: AnyResource) throws -> [AnyResource] {
        var hourly = issues
        hourly.schedule = IntervalSchedule(every: .seconds(3600))
        var nightly = issues
        nightly.schedule = try CronSchedule("30 2 * * *", zone: "Europe/Berlin")
        var spread = issues
        let quarterly = IntervalSchedule(every: .seconds(900))
        spread.schedule = JitteredSchedule(quarterly, jitter: .seconds(60), name: "host7 issues")
        return [hourly, nightly, spread]
    }

    func logged(_ issues: AnyResource, _ transports: any TransportFactory) async throws -> Siding {
        var logger = Logger(label: "depot")
        logger.logLevel = .notice
        let environment = RuntimeEnvironment(logger: logger)
        let siding = try await Siding(
            store: .sqlite(path: path), resources: [issues], transports: transports, environment: environment)
        return siding
    }
}

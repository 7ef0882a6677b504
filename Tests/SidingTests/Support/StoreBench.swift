// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingJSON
import SidingTesting

@testable import Siding

/// A store with a run, a lease and one resource, as a test finds it.
struct StoreBench: Sendable {
    static let resource = "posts"

    let provider: StoreProvider
    let time: ManualWallClock
    var store: Store
    var lease: Lease
    var run: RunID

    init(_ provider: StoreProvider? = nil) async throws {
        let provider = try provider ?? StoreProvider()
        self.provider = provider
        time = ManualWallClock()
        store = try await provider.open(clock: time.clock)
        run = try await store.beginRun(command: "sync posts")
        lease = try await Self.lease(store)
    }

    static func lease(_ store: Store, of resource: String = resource) async throws -> Lease {
        let outcome = try await store.acquireLease(Lease.name(ofResource: resource), command: "sync \(resource)")
        guard case .acquired(let lease) = outcome else {
            throw ConformanceViolation("a free lease was not given", line: #line)
        }
        return lease
    }

    /// The process dies; another one goes on with a run and lease of its own.
    mutating func crash() async throws {
        store = try await provider.crash(store, clock: time.clock)
        run = try await store.beginRun(command: "sync posts")
        lease = try await Self.lease(store)
    }

    /// Gives the lease back and takes it again, as the next sync of a living process does.
    mutating func nextSync() async throws {
        try await store.releaseLease(lease)
        run = try await store.beginRun(command: "sync posts")
        lease = try await Self.lease(store)
    }

    // MARK: Listings

    static func page(_ number: Int) throws -> PageRequest {
        let url = try HTTPURL("https://api.example.org/posts?page=\(number)")
        return PageRequest(url: url, number: number, offset: (number - 1) * 10)
    }

    static func definition(key: String = "id", path: String = "/posts") throws -> ResourceDefinition {
        let source = Source(name: "blog", baseURL: try HTTPURL("https://api.example.org"))
        return ResourceDefinition(AnyResource(resource, from: source, at: path, key: key))
    }

    func opening(
        key: String = "id", path: String = "/posts", startsAnew: Bool = false, isAdHoc: Bool = false,
        resource: String = Self.resource,
        lease: Lease? = nil, schema: RecordSchema = RecordSchema()
    ) throws -> ListingOpening {
        ListingOpening(
            resource: resource, source: "blog", definition: try Self.definition(key: key, path: path),
            lease: lease ?? self.lease, run: run, startsAnew: startsAnew, first: try Self.page(1), isAdHoc: isAdHoc,
            schema: schema)
    }

    func open(
        key: String = "id", path: String = "/posts", startsAnew: Bool = false, isAdHoc: Bool = false,
        schema: RecordSchema = RecordSchema()
    ) async throws -> ListingPosition {
        try await opened(opening(key: key, path: path, startsAnew: startsAnew, isAdHoc: isAdHoc, schema: schema))
    }

    /// Opens a listing before its first page.
    func opened(_ opening: ListingOpening) async throws -> ListingPosition {
        var position = try await store.openListing(opening)
        try await store.openWithoutPage(position)
        position.unopened = nil
        return position
    }

    /// The newest request of the resource; see ``Page/requestedAfter``.
    func newestRequest() async throws -> Int64 {
        try await store.read { try OpenResource(Self.resource, $0).row?.requests ?? 0 }
    }

    /// The position of a new listing that its first page opens.
    func unopened() async throws -> ListingPosition {
        let open = try await store.read { try OpenResource(Self.resource, $0) }
        return try require(open.unopened(opening(), now: time.now), "the listing to be opened with its first page")
    }

    /// Makes a resource other than the bench's own known.
    func add(_ resource: String) async throws -> Lease {
        let lease = try await Self.lease(store, of: resource)
        _ = try await store.openListing(opening(resource: resource, lease: lease))
        return lease
    }

    // MARK: Pages

    static func content(
        _ json: String, key: String = "id", columns: [JSONPath] = []
    ) throws -> Page.Content {
        let bytes = Array(json.utf8)
        let contents = try bytes.withUnsafeBytes { page in
            try PageReader(records: nil, key: [JSONPath(member: key)], columns: columns).read(page)
        }
        return .records(bytes, contents.records)
    }

    func pageCommit(
        _ content: Page.Content, _ position: ListingPosition, next: Step = .end, etag: String? = nil,
        page: PageRequest? = nil, cursor: CursorMove? = nil, isAdHoc: Bool = false
    ) -> PageCommit {
        PageCommit(
            open: OpenListing(
                resource: Self.resource, lease: lease, run: run, number: isAdHoc ? 0 : position.listing,
                first: (try? Self.page(1)) ?? position.page,
                unopened: position.unopened, completes: position.entry?.id),
            listed: ListedPage(
                page: Page(
                    request: page ?? position.page, content: content, status: 200, etag: etag, step: next,
                    paging: .automatic, requests: 1, bytes: 100), step: next, cursor: cursor))
    }

    /// Commits the page at which `position` stands.
    @discardableResult
    func commit(
        _ json: String, _ position: ListingPosition, next: Step = .end, etag: String? = nil,
        page: PageRequest? = nil, key: String = "id", columns: [JSONPath] = []
    ) async throws -> RunCounters {
        let content = try Self.content(json, key: key, columns: columns)
        var commit = pageCommit(content, position, next: next, etag: etag, page: page)
        commit.open.columns = columns
        return try await store.commit(commit)
    }

    /// Opens a listing and commits its first page, with a second one to come.
    func commitFirstPage(etag: String? = nil) async throws -> ListingPosition {
        let position = try await open()
        try await commit(#"[{"id":"a"}]"#, position, next: .page(Self.page(2)), etag: etag)
        return position
    }

    func record(_ key: String) async throws -> Record {
        let record = try await store.record(of: Self.resource, key: key)
        return try require(record, "the record \(key)")
    }

    func counters() async throws -> RunCounters {
        try await store.run(run)?.resources.first { $0.resource == Self.resource }?.counters ?? RunCounters()
    }

    // MARK: The queue

    @discardableResult
    func retain(
        _ number: Int = 2, counted: Bool = true, parks: ParkReason? = nil, resource: String = Self.resource,
        lease: Lease? = nil, expiry: Duration? = nil, wait: Duration = .seconds(60)
    ) async throws -> QueueEntry {
        let error = RecordedError(name: "timeout", message: "timeout while connecting", phase: "not_sent")
        return try await store.retain(
            FetchRetention(
                resource: resource, source: "blog", lease: lease ?? self.lease, method: "GET",
                page: try Self.page(number), error: error, isCounted: counted, parks: parks, expiry: expiry,
                wait: { wait * $0 }))
    }

    func entry(_ id: String) async throws -> QueueEntry {
        let found = try await store.entries(QueueSelection(ids: [id]))
        return try require(found.first, "the entry \(id)")
    }

    func perform(_ action: QueueAction, _ entry: QueueEntry) async throws -> QueueChange {
        let changes = try await store.perform(action, on: QueueSelection(ids: [entry.id]))
        return try require(changes.first, "the change of \(entry.id)")
    }

    // MARK: Refusals

    /// Ends the test unless `body` throws a `StoreError` of `kind`.
    func refuses(
        _ kind: StoreError.Kind, _ what: String, line: Int = #line, _ body: () async throws -> Void
    ) async throws {
        do { try await body() } catch let error as StoreError {
            return try require(error.kind, is: kind, what, line: line)
        }
        throw ConformanceViolation("\(what): it was not refused", line: line)
    }
}

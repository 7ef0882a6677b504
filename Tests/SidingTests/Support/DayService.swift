// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingJSON
import SidingPaging
import SidingSchedule
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding
@testable import SidingNetwork

/// A service over a store and an origin; everything that it does takes no time.
final class DayService {
    /// Longer than in a program, so that the loop has to wake for each moment by itself.
    static let pace = Duration.seconds(600)

    let store: Store
    let start: Timestamp
    /// How often the loop woke.
    private(set) var wakes = 0
    private let time: ManualWallClock
    private let clock = ManualClock()
    private let origin: DayOrigin
    private var resources: [AnyResource] = []
    private var sources: [String: Source] = [:]
    private let retries: Int
    private let directory: TemporaryDirectory

    /// - Parameter retries: how often a request is retried inline.
    init(_ midnight: String, retries: Int = 0) async throws {
        self.retries = retries
        start = try Self.moment(midnight)
        time = ManualWallClock(start)
        origin = DayOrigin(time)
        directory = try TemporaryDirectory()
        store = try await Store.open(at: directory.path(of: "store.db"), clock: time.clock, jitter: .none)
    }

    static func moment(_ text: String) throws -> Timestamp {
        Timestamp(secondsSince1970: try Date(text, strategy: .iso8601).timeIntervalSince1970)
    }

    // MARK: What there is to do

    /// - Parameter schedule: nil for the age that a resource may have at most if nothing is said.
    func add(
        _ name: String, by schedule: (any SyncSchedule)?, from source: String = "blog",
        answer: ScriptedAnswer = .text(#"[{"id":1}]"#)
    ) throws {
        var resource = AnyResource(name, from: try self.source(source), at: "/\(name)", key: "id", paging: .none)
        resource.schedule = schedule
        resources.append(resource)
        origin.set("/\(name)", answer)
    }

    func add(_ name: String, cron: String, answer: ScriptedAnswer = .text(#"[{"id":1}]"#)) throws {
        try add(name, by: CronSchedule(cron, zone: "Europe/Berlin"), answer: answer)
    }

    func set(_ path: String, _ answer: ScriptedAnswer) { origin.set(path, answer) }

    /// Lists `count` records, and for each of them a listing at `/name/ID`, which is answered with `answer`.
    func addFanOut(
        _ name: String, over count: Int, every span: Duration, answer: ScriptedAnswer, paging: Paging = .none
    ) throws {
        try add("parents", by: IntervalSchedule(every: span), from: "shop", answer: Self.parents(count))
        var children = AnyResource(name, from: try source("shop"), at: "/\(name)/{id}", key: "id", paging: paging)
        children.forEach = ForEach("parents", bind: ["id": JSONPath(member: "link")])
        children.schedule = IntervalSchedule(every: span)
        resources.append(children)
        for parent in 0..<count { set("/\(name)/\(parent)", answer) }
    }

    /// The records of `count` parents.
    ///
    /// - Parameter without: one without the value that its listing needs.
    static func parents(_ count: Int, without: Int? = nil) -> ScriptedAnswer {
        .text(
            "["
                + (0..<count).map { #"{"id":\#($0),"link":\#($0 == without ? "null" : "\($0)")}"# }.joined(
                    separator: ",") + "]")
    }

    /// Sets the clock back between two runs.
    func setBack(by span: Duration) { time.advance(by: .zero - span) }

    /// Answers `path` so during this time, reckoned from the start.
    func set(_ path: String, _ answer: ScriptedAnswer, during hours: Range<Int>) {
        set(path, answer, during: .seconds(3_600 * hours.lowerBound)..<Duration.seconds(3_600 * hours.upperBound))
    }

    func set(_ path: String, _ answer: ScriptedAnswer, during time: Range<Duration>) {
        origin.set(path, answer, during: start + time.lowerBound..<start + time.upperBound)
    }

    func enqueue(_ path: String, expiry: Duration) async throws -> QueueEntry {
        _ = try source("shop")
        var write = WriteRequest(
            to: "shop", .post, try HTTPURL("https://example.com\(path)"), body: Array("{}".utf8),
            idempotency: Idempotency())
        write.expiry = expiry
        return try await store.enqueue(write)
    }

    /// The one source of this name.
    private func source(_ name: String) throws -> Source {
        if let source = sources[name] { return source }
        let source = Source(
            name: name, baseURL: try HTTPURL("https://example.com"), retry: RetryPolicy(retries: retries))
        sources[name] = source
        return source
    }

    // MARK: The day

    /// Runs the service until the moment `span` after the start, which is not part of it.
    func run(for span: Duration) async throws {
        let inline = InlineWaitClock(clock, time)
        let siding = try await Siding(
            store: .store(store), resources: resources, sources: Array(sources.values), transports: origin,
            environment: RuntimeEnvironment(
                connectivity: TestConnectivity(), jitter: .none, clock: inline, wallClock: time.clock))
        let kernel = try ScriptedKernel()
        let rests = AsyncStream.makeStream(of: Timestamp.self)
        let service = Self.start(siding, on: NetworkChanges(socket: kernel.socket)) { [time] next in
            inline.isIdle = next > time.now
            rests.continuation.yield(next)
        } whenDone: {
            rests.continuation.finish()
        }
        for await next in rests.stream where next > time.now {
            guard next < start + span else { break }
            let wait = next - time.now
            await clock.sleepers(1, waiting: wait)
            inline.isIdle = false
            time.advance(by: wait)
            clock.advance(by: wait)
            wakes += 1
        }
        service.cancel()
        try await service.value
    }

    private static func start(
        _ siding: Siding, on changes: NetworkChanges, whenIdle: @escaping @Sendable (Timestamp) -> Void,
        whenDone: @escaping @Sendable () -> Void
    ) -> Task<Void, any Error> {
        Task {
            defer { whenDone() }
            try await siding.run(wakingOn: changes, pace: DayService.pace) { whenIdle($0) }
        }
    }

    /// When anything was asked for.
    var moments: [Timestamp] { origin.moments }

    /// What was asked for, and how many seconds after the start.
    var requests: [String] { origin.requests.map { "\($0.path) at \(($0.at - start).components.seconds)" } }

    /// When any path was asked for that `isCounted`.
    func moments(where isCounted: (String) -> Bool) -> [Timestamp] {
        origin.requests.filter { isCounted($0.path) }.map(\.at)
    }

    /// When `path` was asked for.
    func moments(of path: String) -> [Timestamp] { origin.moments(of: path) }
}

/// Answers each path with one page, and keeps when it was asked for.
private final class DayOrigin: TransportFactory {
    private struct Script {
        var answer: ScriptedAnswer
        var during: Range<Timestamp>?
    }

    private let time: ManualWallClock
    private let scripts = Mutex<[String: [Script]]>([:])
    private let log = Mutex<[(path: String, at: Timestamp)]>([])

    init(_ time: ManualWallClock) {
        self.time = time
    }

    /// The newest answer that is for the present moment counts.
    func set(_ path: String, _ answer: ScriptedAnswer, during moments: Range<Timestamp>? = nil) {
        scripts.withLock { $0[path, default: []].append(Script(answer: answer, during: moments)) }
    }

    var requests: [(path: String, at: Timestamp)] { log.withLock(\.self) }
    var moments: [Timestamp] { log.withLock { $0.map(\.at) } }

    func moments(of path: String) -> [Timestamp] {
        log.withLock { $0.filter { $0.path == path }.map(\.at) }
    }

    func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        ScriptedTransport { [self] asked in
            let (path, now) = (asked.request.path ?? "", time.now)
            log.withLock { $0.append((path, now)) }
            let script = scripts.withLock { $0[path]?.last { $0.during?.contains(now) ?? true } }
            return script?.answer ?? .status(.notFound)
        }
    }
}

/// Lets the waits of inline retries take no time: they are the short ones while the service is not idle.
private final class InlineWaitClock: Clock {
    private let clock: ManualClock
    private let time: ManualWallClock
    private let idle = Mutex(false)

    init(_ clock: ManualClock, _ time: ManualWallClock) { (self.clock, self.time) = (clock, time) }

    var isIdle: Bool {
        get { idle.withLock(\.self) }
        set { idle.withLock { $0 = newValue } }
    }

    var now: ManualClock.Instant { clock.now }
    var minimumResolution: Duration { clock.minimumResolution }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        let wait = now.duration(to: deadline)
        guard wait <= RetryPolicy.longestInlineWait, !isIdle else {
            return try await clock.sleep(until: deadline, tolerance: tolerance)
        }
        time.advance(by: wait)
        clock.advance(by: wait)
    }
}

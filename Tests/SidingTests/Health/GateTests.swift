// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingCredentials
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding

@Suite struct GateTests {
    private func patience(_ value: String, status: HTTPResponse.Status = .tooManyRequests) -> ScriptedAnswer {
        .status(status, headerFields: [.retryAfter: value])
    }

    @Test func `an origin that asks for a wait is not requested before the time has come`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts?page=2", patience("120"))
        let first = try await bench.sync()
        let until = bench.time.now + .seconds(120)
        #expect(try await bench.entry(first.result.entry).nextAttemptAt == until)
        #expect(try await bench.store.gates().map(\.until) == [until])
        _ = bench.origin.takeTargets()

        bench.time.advance(by: .seconds(119))
        let early = try await bench.sync()
        #expect(early.result.outcome == .queued)
        #expect(early.closedGate?.until == until)
        #expect(early.result.error?.hint == "'siding sync --now' asks at once")
        #expect(early.result.notes == [])
        #expect(bench.origin.takeTargets() == [])
        #expect(try await bench.entry(first.result.entry).state == .queued)
        #expect(try await bench.entry(first.result.entry).nextAttemptAt == until)

        bench.time.advance(by: .seconds(1))
        bench.origin.set("/posts?page=2", ScriptedOrigin.page("[3]"))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts?page=2"])
        #expect(try await bench.store.gates() == [])
    }

    @Test(arguments: [
        ("Tue, 14 Nov 2023 22:23:20 GMT", 600), ("nonsense", 60), ("999999999", 86_400), ("0", 2), ("1", 2),
        ("3", 3), ("Thu, 01 Jan 1970 00:00:00 GMT", 2),
    ])
    func `a wait may be a date, have no length, or be absurdly long`(_ value: String, _ seconds: Int) async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts", patience(value, status: .serviceUnavailable))
        _ = try await bench.sync()
        #expect(try await bench.store.gates().map(\.until) == [bench.time.now + .seconds(seconds)])
    }

    /// Ways to set a wait badly, which all mean "now" or soon.
    static let shortWaits = [
        "0", "0.0", "1", "0.25", "01", "Thu, 01 Jan 1970 00:00:00 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
    ]

    @Test(arguments: shortWaits, [HTTPResponse.Status.tooManyRequests, .serviceUnavailable])
    func `a wait below the backoff counts as none: waits grow, and tries count`(
        _ value: String, _ status: HTTPResponse.Status
    ) async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts", patience(value, status: status))
        var asked: [Int] = []
        for second in 0...100 {
            _ = try await bench.sync()
            if !bench.origin.takeTargets().isEmpty { asked.append(second) }
            bench.time.advance(by: .seconds(1))
        }
        #expect(asked == [0, 2, 18, 78])
        #expect(try await bench.queue().map(\.attempts) == [4])
    }

    @Test func `waits that an origin sets too short grow up to that of one that sets none, and a success ends that`()
        async throws
    {
        let bench = try await EngineBench()
        bench.origin.set("/posts", patience("3"))
        var waits: [Duration] = []
        for _ in 0..<8 {
            _ = try await bench.sync()
            let until = try #require(try await bench.store.gates().first?.until)
            waits.append(until - bench.time.now)
            bench.time.advance(by: waits.last ?? .zero)
        }
        #expect(waits == [3, 16, 60, 60, 60, 60, 60, 60].map { .seconds($0) })
        // Each wait was one that an origin may ask for, so none is the fault of the page.
        #expect(try await bench.queue().map(\.attempts) == [0])
        bench.origin.set("/posts", ScriptedOrigin.page("[1]"))
        #expect(try await bench.sync().result.outcome == .saved)
        bench.origin.set("/posts", patience("3"))
        _ = try await bench.sync()
        #expect(try await bench.store.gates().map(\.until) == [bench.time.now + .seconds(3)])
    }

    @Test func `every resource of a source that asks for a wait waits`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts", patience("60"))
        bench.origin.set("/comments", ScriptedOrigin.page("[1]"))
        let comments = AnyResource("comments", from: bench.resource.source, at: "/comments", key: "id")
        let reports = try await bench.engine().run([bench.resource, comments])
        #expect(reports.map(\.result.outcome) == [.queued, .queued])
        #expect(bench.origin.takeTargets() == ["/posts"])
    }

    @Test func `without the queue a closed gate is a failure, and nothing is requested`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts", patience("60"))
        let options = SyncOptions(retains: false)
        _ = try await bench.sync(options)
        #expect(try await bench.sync(options).result.outcome == .failed)
        #expect(bench.origin.takeTargets() == ["/posts"])
        #expect(try await bench.queue() == [])
    }

    @Test func `401 needs a sign-in by an operator, and the next sync tries nevertheless`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts", .status(.unauthorized))
        let report = try await bench.sync()
        #expect(report.result.outcome == .failed)
        #expect(report.result.error?.name == "unauthorized")
        #expect(report.result.error?.status == 401)
        #expect(try await bench.queue() == [])
        let gate = try #require(try await bench.store.gates().first)
        #expect(gate.reason == .signIn)
        #expect(gate.until == nil)
        bench.origin.set("/posts", ScriptedOrigin.page("[1]"))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.store.gates() == [])
    }

    @Test(arguments: [HTTPResponse.Status.unauthorized, .forbidden])
    func `a status of 'on_status' that comes again with a new token gates the source`(
        _ status: HTTPResponse.Status
    ) async throws {
        var bench = try await EngineBench()
        let store = InMemoryCredentialStore(["blog": Credential(accessToken: "a", refreshToken: "r")])
        let refresher = TokenRefresherNode { _, _ in TokenGrant(accessToken: "b") }
        bench.resource.source.authorization = .refreshed(
            AccessSafety(
                AccessSettings(account: "blog", store: store, refresher: refresher).with(\.statuses, [401, 403])))
        bench.origin.set("/posts", .status(status))
        let report = try await bench.sync()
        #expect(report.failure?.asksForSignIn == true && report.result.outcome == .failed)
        #expect(try await bench.store.gates().map(\.reason) == [.signIn])
        #expect(bench.origin.takeTargets().count == 2)
    }

    @Test func `a gate from before the clock was set back is not one`() {
        let now = Timestamp(microseconds: 1_700_000_000_000_000)
        func gate(_ until: Timestamp?) -> SourceGate {
            SourceGate(source: "blog", reason: .retryAfter, until: until, note: "")
        }
        #expect(gate(now + .seconds(86_400)).isBelieved(at: now) && gate(nil).isBelieved(at: now))
        #expect(gate(now).isBelieved(at: now) && !gate(now + .seconds(86_401)).isBelieved(at: now))
    }

    @Test func `a retained page that meets a 401 waits for the sign-in`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts", .status(.internalServerError), .status(.unauthorized), ScriptedOrigin.page("[1]"))
        _ = try await bench.sync()
        let report = try await bench.sync()
        #expect(report.result.outcome == .failed)
        let entry = try await bench.entry(report.result.entry)
        #expect(entry.state == .parked)
        #expect(entry.reason == .signIn)
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.entry(entry.id).state == .done)
    }

    @Test(arguments: [Int32(-2), -3])
    func `a name that cannot be resolved without a route out means no internet connection`(_ code: Int32) async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts", .failure(Failure(.system(.resolver(code: code)), phase: .notSent)))
        bench.connectivity.set(hasUsableRoute: false)
        let report = try await bench.sync()
        #expect(report.result.error?.name == "noInternetConnection")
        #expect(try await bench.store.gates().first?.reason == .offline)
        #expect(try await bench.entry(report.result.entry).attempts == 0)
        bench.connectivity.set(hasUsableRoute: true)
        let names = try await bench.sync().result.error?.name
        #expect(names == (code == EAI_NONAME ? "hostNotFound" : "temporaryDNS"))
    }

    @Test(arguments: [Failure.Reason.connectionLost, .cantConnectToHost(.refused), .temporaryDNS, .timeout(.response)])
    func `a page whose connection failed is tried as soon as the network returns`(_ reason: Failure.Reason) async throws
    {
        let bench = try await EngineBench()
        bench.origin.set("/posts", .failure(Failure(reason, phase: .notSent)))
        let entry = try await bench.entry(try await bench.sync().result.entry)
        #expect(entry.nextAttemptAt > bench.time.now)
        try await bench.store.endWaits(of: nil, because: .lineReturned)
        #expect(try await bench.entry(entry.id).nextAttemptAt == bench.time.now)
    }

    @Test func `a secret that this process cannot read closes no gate for those that can`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts", .failure(Failure(.credentialUnavailable, phase: .notSent)))
        for _ in 0..<(2 * RetryRules.breakerLimit) { #expect(try await bench.sync().result.outcome == .failed) }
        #expect(try await bench.store.gates() == [])
    }
}

// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingTesting
import Testing

/// A failure of a page and what is to become of it.
struct FailureCase: Sendable, CustomTestStringConvertible {
    let name: String
    let answer: ScriptedAnswer
    /// The name in records.
    let recorded: String
    /// Whether the try counts, for those that are kept.
    var isCounted = true

    var testDescription: String { name }

    init(_ reason: Failure.Reason, _ phase: Failure.Phase, counted: Bool = true) {
        (name, recorded, isCounted) = (reason.description, reason.name, counted)
        answer = .failure(Failure(reason, phase: phase))
    }

    init(status: Int, counted: Bool = true) {
        (name, recorded, isCounted) = ("\(status)", "http\(status)", counted)
        answer = .status(.init(code: status))
    }

    init(_ name: String, recorded: String, _ answer: ScriptedAnswer) {
        (self.name, self.recorded, self.answer) = (name, recorded, answer)
    }

    static let kept: [FailureCase] = [
        FailureCase(.noInternetConnection, .notSent, counted: false),
        FailureCase(.captivePortal, .answered), FailureCase(.timeout(.connect), .notSent),
        FailureCase(.timeout(.tlsHandshake), .notSent), FailureCase(.timeout(.response), .maybeSent),
        FailureCase(.timeout(.total), .maybeSent), FailureCase(.timeout(.minimumRate), .answered),
        FailureCase(.cantConnectToHost(.refused), .notSent), FailureCase(.cantConnectToHost(.unreachable), .notSent),
        FailureCase(.temporaryDNS, .notSent), FailureCase(.hostNotFound, .notSent),
        FailureCase(.tlsUntrusted, .notSent),
        FailureCase(.tlsHandshake, .notSent), FailureCase(.proxyUnreachable, .notSent),
        FailureCase(.proxyFault, .notSent), FailureCase(.localResource, .notSent),
        FailureCase(.connectionLost, .maybeSent), FailureCase(.notProcessed, .maybeSent),
        FailureCase(.protocolViolation, .answered), FailureCase(.badContent, .answered),
        FailureCase(.internalFault, .maybeSent), FailureCase(.system(.unknown("x")), .maybeSent),
        FailureCase(status: 408), FailureCase(status: 425), FailureCase(status: 500), FailureCase(status: 502),
        FailureCase(status: 504), FailureCase(status: 507), FailureCase(status: 599),
        FailureCase(status: 429, counted: false), FailureCase(status: 503, counted: false),
        FailureCase(status: 511, counted: false),
        FailureCase(
            "a body that breaks off", recorded: "truncated",
            .reply(
                HTTPResponse(status: .ok), chunks: [Array(#"[{"id":9},"#.utf8)],
                ending: Failure(.connectionLost, phase: .maybeSent))),
        FailureCase("304 to a request without a condition", recorded: "protocolViolation", .status(.notModified)),
    ]

    static let notKept: [FailureCase] = [
        FailureCase(status: 400), FailureCase(status: 403), FailureCase(status: 404), FailureCase(status: 405),
        FailureCase(status: 409), FailureCase(status: 410), FailureCase(status: 412), FailureCase(status: 422),
        FailureCase(status: 501), FailureCase(status: 505), FailureCase(.redirectRefused, .answered),
        FailureCase(.tooLarge(limit: 9), .answered), FailureCase(.invalidRequest, .notSent),
        FailureCase(.userCode, .notSent), FailureCase(.credentialUnavailable, .notSent),
        FailureCase("not JSON", recorded: "contract", .text(#"[{"id":9},{"id":}]"#)),
        FailureCase("no records", recorded: "contract", .text(#"{"a":1}"#)),
        FailureCase("a body of nothing", recorded: "contract", .text("")),
        FailureCase(
            "not UTF-8", recorded: "contract", .reply(HTTPResponse(status: .ok), chunks: [[0x5B, 0xFF, 0x5D]])),
        FailureCase(
            "a next link elsewhere", recorded: "contract", ScriptedOrigin.page("[9]", next: "https://evil.example/")),
    ]
}

@Suite struct RetentionTests {
    @Test(arguments: FailureCase.kept)
    func `a page that fails temporarily is queued, and the next sync continues at that very page`(
        _ failure: FailureCase
    ) async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts?page=2", failure.answer)
        let report = try await bench.sync()
        #expect(report.result.outcome == .queued)
        #expect(report.result.error?.name == failure.recorded)
        #expect(try await bench.keys() == ["1", "2"])
        let entry = try await bench.entry(report.result.entry)
        #expect(entry.url == "https://api.example.org/posts?page=2")
        #expect(entry.state == .queued)
        #expect(entry.attempts == (failure.isCounted ? 1 : 0))
        #expect(entry.nextAttemptAt > bench.time.now)
        _ = bench.origin.takeTargets()

        bench.origin.set("/posts?page=2", ScriptedOrigin.page("[3,4]", next: "/posts?page=3"))
        bench.time.advance(by: .seconds(3600))
        let second = try await bench.sync()
        #expect(second.result.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts?page=2", "/posts?page=3"])
        #expect(second.result.notes.first == "resumed at page 2")
        #expect(try await bench.keys().count == 5)
        let done = try await bench.entry(entry.id)
        #expect(done.state == .done && done.lastError == nil)
        #expect(try await bench.state().completedAt == bench.time.now)
        #expect(try await bench.store.gates() == [])
    }

    @Test(arguments: FailureCase.notKept)
    func `a page that is refused for good fails the run, and earlier pages stay`(
        _ failure: FailureCase
    ) async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts?page=2", failure.answer)
        let report = try await bench.sync()
        #expect(report.result.outcome == .failed)
        #expect(report.result.error?.name == failure.recorded)
        #expect(report.failure != nil)
        #expect(throws: SyncError.self) { try report.outcome() }
        #expect(try await bench.keys() == ["1", "2"])
        #expect(try await bench.queue() == [])
        #expect(try await bench.checkpoint() == 2)
        #expect(try await bench.state().completedAt == nil)
        #expect(try await bench.lastRun().outcome == .failed)
    }

    @Test func `a page that is not JSON is reported with the byte and its URL`() async throws {
        let bench = try await EngineBench()
        let html: HTTPFields = [.contentType: "text/html"]
        bench.origin.set("/posts?page=2", .text(#"[{"id":9},{"id":}]"#))
        let report = try await bench.sync()
        #expect(report.result.error?.message.contains("byte 16") == true)
        #expect(report.result.error?.message.contains("GET https://api.example.org/posts?page=2") == true)
        #expect(report.result.error?.phase == "answered")
        bench.origin.set("/posts?page=2", .text("no page", headerFields: html))
        #expect(try await bench.sync().result.error?.message.contains("the origin calls it 'text/html'") == true)
    }

    @Test func `the first page is retained like any other`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts", .status(.internalServerError), ScriptedOrigin.page("[1]"))
        #expect(try await bench.sync().result.outcome == .queued)
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.queue() == [])
    }

    @Test func `tries that count add up, and the wait grows with them`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts", .status(.internalServerError))
        for (tries, wait) in [(1, 2), (2, 4), (3, 8)] {
            let entry = try await bench.entry(bench.sync().result.entry)
            #expect(entry.attempts == tries)
            #expect(entry.nextAttemptAt == bench.time.now + .seconds(wait))
        }
        #expect(try await bench.queue().count == 1)
    }

    @Test func `a host that is not found three times fails the run, and the page is parked`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts", .failure(Failure(.hostNotFound, phase: .notSent)))
        for _ in 0..<2 { #expect(try await bench.sync().result.outcome == .queued) }
        let third = try await bench.sync()
        #expect(third.result.outcome == .failed)
        #expect(third.result.notes.contains("given up after 3 tries"))
        let entry = try await bench.entry(third.result.entry)
        #expect(entry.state == .parked)
        #expect(entry.reason == .rejected)
        bench.origin.set("/posts", ScriptedOrigin.page("[1]"))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.entry(entry.id).state == .done)
    }

    @Test func `after the retained page was had, a later page that is refused is not retained`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts?page=2", .status(.internalServerError))
        let entry = try await bench.entry(bench.sync().result.entry)
        bench.origin.set("/posts?page=2", ScriptedOrigin.page("[3,4]", next: "/posts?page=3"))
        bench.origin.set("/posts?page=3", .status(.forbidden))
        let report = try await bench.sync()
        #expect(report.result.outcome == .failed)
        #expect(try await bench.entry(entry.id).state == .done)
        #expect(try await bench.queue() == [])
        #expect(try await bench.checkpoint() == 3)
    }

    @Test func `a retained page that is refused for good is parked, and tried by each sync`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts?page=2", .status(.internalServerError))
        _ = try await bench.sync()
        // With the first page it would be a link that has expired.
        for path in ["/posts", "/posts?page=2"] { bench.origin.set(path, .status(.forbidden)) }
        let report = try await bench.sync()
        #expect(report.result.outcome == .failed)
        let entry = try await bench.entry(report.result.entry)
        #expect(entry.reason == .rejected)
        bench.origin.set("/posts?page=2", ScriptedOrigin.page("[3]"))
        #expect(try await bench.sync().result.outcome == .saved)
    }

    @Test func `without the queue nothing is retained, and a retained entry stays unchanged`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts?page=2", .status(.internalServerError))
        let report = try await bench.sync(SyncOptions(retains: false))
        #expect(report.result.outcome == .failed)
        #expect(try await bench.queue() == [])
        #expect(try await bench.checkpoint() == 2)
        let entry = try await bench.entry(bench.sync().result.entry)
        let third = try await bench.sync(SyncOptions(retains: false))
        #expect(third.result.outcome == .failed)
        #expect(try await bench.entry(entry.id).state == .queued)
    }

    @Test func `a held page blocks its resource, and nothing is requested`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts?page=2", .status(.internalServerError))
        let entry = try await bench.entry(bench.sync().result.entry)
        _ = try await bench.store.perform(.hold, on: QueueSelection())
        _ = bench.origin.takeTargets()
        let report = try await bench.sync()
        #expect(report.result.outcome == .queued)
        #expect(report.result.entry == entry.id)
        #expect(report.result.error?.name == "parked")
        #expect(bench.origin.takeTargets() == [])
    }
}

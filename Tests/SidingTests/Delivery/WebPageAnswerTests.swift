// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// A success with a web page where JSON was asked for: perhaps the login page of a network, whose origin has seen nothing.
@Suite struct WebPageAnswerTests {
    private static func page(
        _ type: String = "text/html; charset=utf-8", status: HTTPResponse.Status = .ok,
        text: String = "<title>Sign in to Wi-Fi</title>"
    ) -> ScriptedAnswer {
        .text(text, status: status, headerFields: [.contentType: type])
    }

    private static func accepting(_ type: String) -> HTTPFields { [.accept: type] }

    // MARK: A portal: a GET of the same URL is answered with a web page, too

    @Test(arguments: [
        (HTTPRequest.Method.post, false, true), (.patch, false, true), (.post, true, false), (.patch, true, false),
        (.put, false, false), (.delete, false, false), (.put, true, false), (.delete, true, false),
    ])
    func `a write that a portal answers is queued again, or uncertain, and never done`(
        method: HTTPRequest.Method, isKeyed: Bool, isInDoubt: Bool
    ) async throws {
        for answer in [
            Self.page(), Self.page("TEXT/HTML"), Self.page("application/xhtml+xml"), Self.page(status: .created),
            Self.page(text: "\u{FEFF}\n  <html>"), .text("<!DOCTYPE html><title>Hi", headerFields: [:]),
            Self.page("text/plain", text: "\u{FEFF}\n<HTML>"), Self.page("application/captive+json", text: "{}"),
            Self.page(text: "Please wait <meta http-equiv=refresh content='0; url=https://portal.example'>"),
            Self.page("application/xml", text: "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'>"),
            Self.page("text/plain", text: "<frameset rows='*'>"), Self.page("text/plain", text: "<center>Hi"),
            .text(
                "",
                headerFields: [.contentType: "text/html", HTTPField.Name("Refresh")!: "0; url=https://portal.example"]),
            Self.page("application/json", text: "<html lang=\"de\">"),
            Self.page("application/octet-stream", text: "<!-- login -->\n<HEAD><title>Hi"),
            Self.page("text/plain", text: "<script>location = 'https://portal.example'</script>"),
            Self.page("text/plain", text: "<meta http-equiv=refresh content='0; url=https://portal.example'>"),
            Self.page("application/xml", text: "<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC \"-//W3C\">"),
            Self.page("text/xml", text: "<?xml version=\"1.0\"?><!-- x --><WISPAccessGatewayParam>"),
            Self.page("application/vnd.wap.xhtml+xml"), Self.page("text/plain", text: "<BODY onload=\"go()\">"),
            Self.page("text/plain", text: "<!-- 1 --><!-- 2 -->\n<!-- 3 --><title>Sign in</title>"),
        ] {
            let bench = try await WriteBench()
            bench.origin.set("/a", answer)
            let entry = try await bench.enqueue("/a", method, idempotency: isKeyed ? WriteBench.keyed : nil)
            _ = try await bench.sender().drain()
            let left = try await bench.entry(entry.id)
            #expect(left.state == (isInDoubt ? .parked : .queued))
            #expect(left.reason == (isInDoubt ? .uncertain : nil))
            #expect(left.attempts == (isInDoubt ? 0 : 1))
            #expect(left.lastError?.name == "captivePortal")
            #expect(try await bench.store.gates().map(\.reason) == [.portal])
        }
    }

    @Test func `a web page that breaks off is one as well`() async throws {
        let head = HTTPResponse(status: .ok, headerFields: [.contentType: "text/html"])
        let start = Array("<html><title>Sign".utf8)
        for method in [HTTPRequest.Method.post, .delete] {
            let bench = try await WriteBench()
            bench.origin.set(
                "/a", .reply(head, chunks: [start], ending: Failure(.truncated, phase: .answered)), Self.page())
            let entry = try await bench.enqueue("/a", method, idempotency: nil)
            _ = try await bench.sender().drain()
            #expect(try await bench.entry(entry.id).state == (method == .post ? .parked : .queued))
        }
    }

    @Test(arguments: [
        ScriptedAnswer.failure(
            Failure(.redirectRefused, phase: .answered, underlying: UnlistedOrigin())),
        .failure(Failure(.connectionLost, phase: .maybeSent)), .status(.networkAuthenticationRequired),
    ])
    func `a portal may answer a GET by other means`(get: ScriptedAnswer) async throws {
        let bench = try await WriteBench()
        bench.origin.set("/a", Self.page(), get)
        let entry = try await bench.enqueue("/a", .put, idempotency: nil)
        _ = try await bench.sender().drain()
        #expect(try await bench.entry(entry.id).state == .queued)
        #expect(try await bench.store.gates().map(\.reason) == [.portal])
    }

    @Test func `behind a portal no second POST is sent, and all are sent once it is left`() async throws {
        let bench = try await WriteBench(concurrency: 1)
        bench.origin.set("/a", Self.page())
        var entries: [QueueEntry] = []
        for _ in 0..<5 { entries.append(try await bench.enqueue("/a", idempotency: nil)) }
        for _ in 0..<10 {
            _ = try await bench.sender().drain()
            bench.time.advance(by: .seconds(40))
        }
        let sent = bench.origin.takeRequests().map(\.method)
        #expect(sent.count { $0 == .post } == 1)
        #expect(sent.count <= 2 + 10, "one request at a time finds out")
        var states = try await bench.states(of: entries)
        #expect(states.count { $0 == .parked } == 1)
        #expect(states.count { $0 == .queued } == 4)
        bench.origin.set("/a", .text("{}", status: .created))
        for _ in 0..<6 {
            bench.time.advance(by: .seconds(4000))
            _ = try await bench.sender().drain()
        }
        states = try await bench.states(of: entries)
        #expect(states.count { $0 == .done } == 4)
    }

    @Test func `a write that is retried behind a portal asks first who answers`() async throws {
        let bench = try await WriteBench(concurrency: 1)
        bench.origin.set("/a", Self.page())
        _ = try await bench.enqueue("/a", idempotency: nil)
        let second = try await bench.enqueue("/a", idempotency: nil)
        _ = try await bench.sender().drain()
        _ = bench.origin.takeRequests()
        _ = try await bench.store.perform(.retry, on: QueueSelection(ids: [second.id]))
        _ = try await bench.sender().drain()
        #expect(bench.origin.takeRequests().map(\.method) == [.get])
        #expect(try await bench.entry(second.id).state == .queued)
    }

    @Test func `an entry that is queued again waits longer each time, and is delivered once the origin answers`()
        async throws
    {
        let bench = try await WriteBench()
        bench.origin.set("/a", Self.page())
        let entry = try await bench.enqueue("/a", .delete, idempotency: nil)
        var waits: [Duration] = []
        for _ in 0..<8 {
            _ = try await bench.sender().drain()
            waits.append(try await bench.entry(entry.id).nextAttemptAt - bench.time.now)
            bench.time.advance(by: .seconds(4000))
        }
        #expect(waits == waits.sorted() && waits[0] == RetryRules.probeWindow && waits[7] > waits[0])
        bench.origin.set("/a", .status(.noContent))
        #expect(try await bench.sender().drain().map(\.state) == [.done])
    }

    @Test func `a write that only web pages answer holds up no other of its source`() async throws {
        let bench = try await WriteBench(concurrency: 1)
        bench.origin.set("/web", Self.page())
        bench.origin.set("/a", .status(.noContent))
        let stuck = try await bench.enqueue("/web", .put, idempotency: nil)
        var others: [QueueEntry] = []
        for _ in 0..<20 { others.append(try await bench.enqueue("/a", idempotency: nil)) }
        for _ in 0..<6 {
            _ = try await bench.sender().drain()
            bench.time.advance(by: .seconds(31))
        }
        #expect(try await bench.states(of: others).allSatisfy { $0 == .done })
        #expect(try await bench.entry(stuck.id).state == .queued)
    }

    @Test func `a portal's answer to a delivery probe decides nothing`() async throws {
        for fallback in WriteProbe.Fallback.allCases {
            let bench = try await WriteBench()
            let probe = WriteProbe(
                "/a?ref={entry}", mark: JSONPath(member: "ref"), after: .seconds(1), fallback: fallback)
            let entry = try await bench.store.enqueue(
                WriteRequest(to: "api", .post, HTTPURL("https://api.test/a"), body: Array("{}".utf8))
                    .with(\.probe, probe))
            bench.origin.set("/a", Self.page(), Self.page(), .status(.created))
            bench.origin.set("/a?ref=\(entry.id)", Array(repeating: Self.page(), count: 5) + [.text("[]")])
            for _ in 0..<6 {
                _ = try await bench.sender().drain()
                #expect(try await bench.entry(entry.id).unknownSince != nil)
                bench.time.advance(by: .seconds(4000))
            }
            for _ in 0..<3 {
                _ = try await bench.sender().drain()
                bench.time.advance(by: .seconds(4000))
            }
            #expect(try await bench.entry(entry.id).state == .done)
        }
    }

    @Test func `an answer to a fetch ends the wait of a portal`() async throws {
        let bench = try await WriteBench()
        bench.origin.set("/a", Self.page())
        try await bench.enqueue("/a", .put, idempotency: nil)
        _ = try await bench.sender().drain()
        try await bench.store.record(.answers, of: "api")
        #expect(try await bench.store.gates() == [])
    }

    // MARK: The origin's own page: a GET of the same URL is answered otherwise

    @Test(arguments: [
        ScriptedAnswer.text("[]"), .status(.notFound), .status(.methodNotAllowed), .status(.unauthorized),
        .status(.internalServerError),
    ])
    func `a web page of the origin's own closes no gate, and is tried three times`(get: ScriptedAnswer) async throws {
        for (method, isKeyed) in [(HTTPRequest.Method.put, false), (.delete, false), (.post, true), (.post, false)] {
            let bench = try await WriteBench()
            bench.origin.set("/a", [Self.page(), get, Self.page(), get, Self.page(), get])
            let entry = try await bench.enqueue("/a", method, idempotency: isKeyed ? WriteBench.keyed : nil)
            for _ in 0..<5 {
                _ = try await bench.sender().drain()
                #expect(try await bench.store.gates() == [])
                bench.time.advance(by: .seconds(4000))
            }
            let left = try await bench.entry(entry.id)
            #expect(left.state == .parked)
            #expect(left.reason == (isKeyed || method == .post ? .uncertain : .rejected))
            #expect(left.lastError?.message.contains("Accept: text/html") == true)
            let posts = bench.origin.takeRequests().count { $0.method == method }
            #expect(posts == (isKeyed || method != .post ? 3 : 1))
        }
    }

    // MARK: Refusals

    private static func redirect(mayBePortal: Bool) -> ScriptedAnswer {
        .failure(
            Failure(.redirectRefused, phase: .answered, underlying: UnlistedOrigin(mayBePortal: mayBePortal)))
    }

    /// What a portal answers to a GET.
    private static let portals: [ScriptedAnswer] = [
        page(), redirect(mayBePortal: true), .status(.networkAuthenticationRequired),
    ]

    @Test(arguments: portals, [HTTPResponse.Status.notFound, .gone])
    func `a web page with 404 completes no deletion if a portal answers a GET`(
        get: ScriptedAnswer, status: HTTPResponse.Status
    ) async throws {
        let bench = try await WriteBench()
        bench.origin.set("/a", Self.page(status: status), get, .status(.noContent))
        let entry = try await bench.enqueue("/a", .delete, idempotency: nil)
        _ = try await bench.sender().drain()
        let queued = try await bench.entry(entry.id)
        #expect(queued.state == .queued && queued.lastError?.name == "captivePortal")
        #expect(try await bench.store.gates().map(\.reason) == [.portal])
        bench.time.advance(by: .seconds(4000))
        #expect(try await bench.sender().drain().map(\.state) == [.done])
    }

    @Test(
        arguments: [
            page(status: .notFound), page(status: .gone), page(status: .forbidden), .status(.notFound), .text("{}"),
            .status(.internalServerError),
        ] as [ScriptedAnswer])
    func `an origin whose 404 is a web page has deleted the record`(get: ScriptedAnswer) async throws {
        let bench = try await WriteBench()
        bench.origin.set("/a", Self.page(status: .notFound), get)
        try await bench.enqueue("/a", .delete, idempotency: nil)
        #expect(try await bench.sender().drain().map(\.state) == [.done])
        #expect(try await bench.store.gates() == [])
    }

    @Test(
        arguments: [
            .status(.notFound), .text(#"{"error":"not found"}"#, status: .notFound),
            page("text/plain", status: .notFound, text: "no <title> is there"),
            page(status: .notFound, text: "not found"),
        ] as [ScriptedAnswer])
    func `any other 404 completes a deletion without a probe`(answer: ScriptedAnswer) async throws {
        let bench = try await WriteBench()
        bench.origin.set("/a", answer)
        try await bench.enqueue("/a", .delete, idempotency: nil)
        #expect(try await bench.sender().drain().map(\.state) == [.done])
        #expect(bench.origin.takeRequests().map(\.method) == [.delete])
    }

    @Test(arguments: portals)
    func `a redirect to a login page parks no write that may be sent twice`(get: ScriptedAnswer) async throws {
        for (method, isKeyed) in [(HTTPRequest.Method.put, false), (.delete, false), (.post, true), (.post, false)] {
            let bench = try await WriteBench()
            bench.origin.set("/a", Self.redirect(mayBePortal: true), get)
            let entry = try await bench.enqueue("/a", method, idempotency: isKeyed ? WriteBench.keyed : nil)
            _ = try await bench.sender().drain()
            let left = try await bench.entry(entry.id)
            let isInDoubt = method == .post && !isKeyed
            #expect(left.state == (isInDoubt ? .parked : .queued))
            #expect(left.reason == (isInDoubt ? .uncertain : nil))
            #expect(try await bench.store.gates().map(\.reason) == [.portal])
        }
    }

    @Test(
        arguments: [
            (.put, page(), 3), (.put, redirect(mayBePortal: true), 1), (.delete, page(status: .notFound), 3),
        ] as [(HTTPRequest.Method, ScriptedAnswer, Int)])
    func `where a limit holds the GET back, no portal is concluded, and the write is parked in the end`(
        method: HTTPRequest.Method, answer: ScriptedAnswer, tries: Int
    ) async throws {
        var bench = try await WriteBench()
        bench.sources[0].limits = [try RateLimit("**", "1/h")]
        bench.origin.set("/a", answer)
        let entry = try await bench.enqueue("/a", method, idempotency: nil)
        for _ in 0..<5 {
            _ = try await bench.sender().drain()
            #expect(try await bench.store.gates().allSatisfy { $0.reason != .portal })
            bench.time.advance(by: .seconds(4000))
        }
        let left = try await bench.entry(entry.id)
        #expect(left.state == .parked && left.reason == .rejected)
        #expect(bench.origin.takeRequests().map(\.method) == Array(repeating: method, count: tries))
    }

    @Test(arguments: [true, false])
    func `a redirect of the origin's own is a refusal`(mayBePortal: Bool) async throws {
        let bench = try await WriteBench()
        bench.origin.set("/a", Self.redirect(mayBePortal: mayBePortal), .text("[]"))
        let entry = try await bench.enqueue("/a", .put, idempotency: nil)
        _ = try await bench.sender().drain()
        #expect(try await bench.entry(entry.id).reason == .rejected)
        #expect(bench.origin.takeRequests().map(\.method) == (mayBePortal ? [.put, .get] : [.put]))
    }

    // MARK: What is not a web page

    @Test(
        arguments: [
            .text("", headerFields: [.contentType: "text/html"]), .text("", headerFields: [:]),
            .text("OK", headerFields: [.contentType: "text/html"]), .text("OK", headerFields: [:]),
            .text(#"{"id":7}"#, headerFields: [.contentType: "text/html"]),
            .text("OK", headerFields: [.contentType: "text/plain"]),
            .status(.noContent, headerFields: [.contentType: "text/html"]), .text(#"{"id":7}"#, status: .created),
            .text("<a/>", headerFields: [.contentType: "application/xml"]),
            .text("<html/>", headerFields: [.contentType: "application/xml"]), .text("<a/>", headerFields: [:]),
            .text("see <html>", headerFields: [.contentType: "text/plain"]),
        ] as [ScriptedAnswer])
    func `any other answer is a delivery`(answer: ScriptedAnswer) async throws {
        let bench = try await WriteBench()
        for method in [HTTPRequest.Method.post, .patch, .put, .delete] {
            bench.origin.set("/a", answer)
            try await bench.enqueue("/a", method, idempotency: nil)
            #expect(try await bench.sender().drain().map(\.state) == [.done])
        }
    }

    @Test(arguments: ["text/html", "application/json, text/html;q=0.5"], [true, false])
    func `a request that accepts HTML may be answered with it`(accept: String, isOfSource: Bool) async throws {
        var bench = try await WriteBench()
        if isOfSource { bench.sources[0].headerFields = Self.accepting(accept) }
        bench.origin.set("/a", Self.page())
        _ = try await bench.store.enqueue(
            WriteRequest(
                to: "api", .post, HTTPURL("https://api.test/a"),
                headerFields: isOfSource ? [:] : Self.accepting(accept), body: Array("{}".utf8)))
        #expect(try await bench.sender().drain().map(\.state) == [.done])
    }
}

extension WriteBench {
    fileprivate func states(of entries: [QueueEntry]) async throws -> [QueueEntry.State] {
        var states: [QueueEntry.State] = []
        for entry in entries { states.append(try await self.entry(entry.id).state) }
        return states
    }
}

import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// A success with a web page where JSON was asked for: the login page of a network, which no origin has seen.
@Suite struct WebPageAnswerTests {
    private static func page(
        _ type: String = "text/html; charset=utf-8", status: HTTPResponse.Status = .ok
    ) -> ScriptedAnswer {
        .text("<title>Sign in to Wi-Fi</title>", status: status, headerFields: [.contentType: type])
    }

    private static func accepting(_ type: String) -> HTTPFields { [.accept: type] }

    @Test(arguments: [
        (HTTPRequest.Method.post, false, true), (.patch, false, true), (.post, true, false), (.patch, true, false),
        (.put, false, false), (.delete, false, false), (.put, true, false), (.delete, true, false),
    ])
    func `a write that a web page answers is queued again, or in doubt, and never done`(
        method: HTTPRequest.Method, isKeyed: Bool, isInDoubt: Bool
    ) async throws {
        for answer in [
            Self.page(), Self.page("TEXT/HTML"), Self.page("application/xhtml+xml"), Self.page(status: .created),
        ] {
            let bench = try await WriteBench()
            bench.origin.set("/a", answer)
            let entry = try await bench.enqueue("/a", method, idempotency: isKeyed ? WriteBench.keyed : nil)
            _ = try await bench.sender().drain()
            let left = try await bench.entry(entry.id)
            #expect(left.state == (isInDoubt ? .parked : .queued))
            #expect(left.reason == (isInDoubt ? .uncertain : nil))
            #expect(left.attempts == (isInDoubt ? 0 : 1))
            #expect(left.lastError?.message.contains("the login page of a network") == true)
            // Other writes are not sent into the portal: one at a time finds out.
            #expect(try await bench.store.gates().map(\.reason) == [.offline])
        }
    }

    @Test func `what is queued again waits longer each time, and is delivered once the origin answers`() async throws {
        let bench = try await WriteBench()
        bench.origin.set("/a", Self.page(), Self.page(), Self.page(), .status(.noContent))
        let entry = try await bench.enqueue("/a", .delete, idempotency: nil)
        var waits: [Duration] = []
        for _ in 0..<3 {
            _ = try await bench.sender().drain()
            waits.append(try await bench.entry(entry.id).nextAttemptAt - bench.time.now)
            bench.time.advance(by: .seconds(4000))
        }
        #expect(waits == waits.sorted() && Set(waits).count == 3)
        #expect(try await bench.sender().drain().map(\.state) == [.done])
    }

    @Test func `a POST that a web page answers is probed where that is declared`() async throws {
        let bench = try await WriteBench()
        let entry = try await bench.store.enqueue(
            WriteRequest(to: "api", .post, HTTPURL("https://api.test/a"), body: Array("{}".utf8))
                .with(\.probe, WriteProbe("/a?ref={entry}", mark: JSONPath(member: "ref"), after: .seconds(1))))
        bench.origin.set("/a", Self.page(), .status(.created))
        bench.origin.set("/a?ref=\(entry.id)", .text("[]"))
        for _ in 0..<3 {
            _ = try await bench.sender().drain()
            bench.time.advance(by: .seconds(4000))
        }
        #expect(try await bench.entry(entry.id).state == .done)
        #expect(bench.origin.takeTargets() == ["/a", "/a?ref=\(entry.id)", "/a"])
    }

    @Test func `a web page whose end is cut off is none the less one`() async throws {
        let bench = try await WriteBench()
        let head = HTTPResponse(status: .ok, headerFields: [.contentType: "text/html"])
        bench.origin.set("/a", .reply(head, chunks: [[60]], ending: Failure(.truncated, phase: .answered)))
        let entry = try await bench.enqueue("/a", idempotency: nil)
        _ = try await bench.sender().drain()
        #expect(try await bench.entry(entry.id).reason == .uncertain)
    }

    @Test(
        arguments: [
            .text("", headerFields: [.contentType: "text/html"]), .text("", headerFields: [:]),
            .text("OK", headerFields: [.contentType: "text/plain"]), .text("OK", headerFields: [:]),
            .status(.noContent, headerFields: [.contentType: "text/html"]), .text(#"{"id":7}"#, status: .created),
            .text("<a/>", headerFields: [.contentType: "application/xml"]),
        ] as [ScriptedAnswer])
    func `an answer that is no web page is a delivery`(answer: ScriptedAnswer) async throws {
        let bench = try await WriteBench()
        for method in [HTTPRequest.Method.post, .patch, .put, .delete] {
            bench.origin.set("/a", answer)
            try await bench.enqueue("/a", method, idempotency: nil)
            #expect(try await bench.sender().drain().map(\.state) == [.done])
        }
    }

    @Test(
        arguments: ["text/html", "application/json, text/html;q=0.5", "application/json, */*"], [true, false])
    func `an origin that is asked for HTML may answer with it`(accept: String, isOfSource: Bool) async throws {
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

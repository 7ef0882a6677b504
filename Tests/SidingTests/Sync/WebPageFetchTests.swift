// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// A success with a web page where JSON was asked for: perhaps the login page of a network.
@Suite struct WebPageFetchTests {
    static let login = "<!DOCTYPE html><title>Sign in to Wi-Fi</title>"

    static func page(
        _ body: String = login, _ type: String = "text/html; charset=utf-8", status: HTTPResponse.Status = .ok
    ) -> ScriptedAnswer {
        .text(body, status: status, headerFields: [.contentType: type])
    }

    static let portals: [ScriptedAnswer] = [
        page(), page("\n\t \(login)"), page("\u{FEFF}\(login)"), page(login, "TEXT/HTML"),
        page(login, "application/xhtml+xml"), page(login, "text/html ;charset=x"), page(status: .created),
        page(status: .accepted), page(login, "application/json"), page(login, "text/plain; charset=utf-8"),
        page("<html>"), .text(login, headerFields: [:]), .text("\u{FEFF}\n <HTML lang=de>", headerFields: [:]),
        page("<!doctype HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\">", "application/vnd.api+json"),
    ]

    @Test(arguments: portals)
    func `the page is queued and counted, and the records stay`(portal: ScriptedAnswer) async throws {
        let bench = try await EngineBench.listed(isStable: true)
        for target in ["/posts", "/posts?page=2"] {
            bench.origin.set(target, portal)
            let report = try await bench.sync()
            #expect(report.result.outcome == .queued && report.result.error?.name == "captivePortal")
            let message = try #require(report.result.error?.message)
            #expect(message.hasPrefix("a web page answered instead: a login page of this network?"), "\(message)")
            #expect(!message.contains("may be wrong"))
            let entry = try await bench.entry(report.result.entry)
            #expect(entry.state == .queued && entry.attempts == 1)
            #expect(try await bench.keys().count == 5)
            #expect(try await bench.tombstones() == [])
            #expect(try await bench.store.gates() == [])
            bench.list("[1,2]")
            #expect(try await bench.sync().result.outcome == .saved)
            #expect(try await bench.queue().filter { $0.state == .queued }.isEmpty)
        }
    }

    @Test func `where JSON never came from, the URL may be wrong; and its waits grow`() async throws {
        let bench = try await EngineBench(ScriptedOrigin(["/posts": Self.page()]))
        var waits: [Duration] = []
        for _ in 0..<4 {
            let report = try await bench.sync()
            #expect(report.result.outcome == .queued)
            #expect(report.result.error?.message.contains("'base_url' or 'path' may be wrong") == true)
            waits.append(try await bench.entry(report.result.entry).nextAttemptAt - bench.time.now)
            bench.time.advance(by: .seconds(300))
        }
        #expect(waits == waits.sorted() && Set(waits).count == 4, "\(waits)")
        #expect(try await bench.queue().map(\.attempts) == [4])
    }

    private static func redirect(mayBePortal: Bool) -> ScriptedAnswer {
        .failure(
            Failure(
                .redirectRefused, phase: .answered, detail: "it leads to another origin, http://login.wifi.example",
                underlying: UnlistedOrigin(mayBePortal: mayBePortal)))
    }

    @Test func `a redirect that may be one to a login page is queued and counted as well`() async throws {
        let bench = try await EngineBench.listed(isStable: true)
        for target in ["/posts", "/posts?page=2"] {
            bench.origin.set(target, Self.redirect(mayBePortal: true))
            let report = try await bench.sync()
            #expect(report.result.outcome == .queued && report.result.error?.name == "captivePortal")
            let message = try #require(report.result.error?.message)
            #expect(message.contains("a login page of this network?") && message.contains("login.wifi.example"))
            #expect(try await bench.entry(report.result.entry).attempts == 1)
            #expect(try await bench.keys().count == 5)
            bench.list("[1,2]")
            #expect(try await bench.sync().result.outcome == .saved)
        }
    }

    @Test func `any other redirect that is not followed fails, and a rule comes first`() async throws {
        var bench = try await EngineBench(ScriptedOrigin(["/posts": Self.redirect(mayBePortal: false)]))
        let report = try await bench.sync()
        #expect(report.result.outcome == .failed && report.result.error?.name == "redirectRefused")
        bench.resource.source.failureRules = [try FailureRule(when: .failure([.redirectRefused]), do: .fail)]
        bench.origin.set("/posts", Self.redirect(mayBePortal: true))
        #expect(try await bench.sync().result.error?.name == "redirectRefused")
    }

    @Test func `where JSON never came before, the message of a redirect mentions a wrong URL, too`() async throws {
        let bench = try await EngineBench(ScriptedOrigin(["/posts": Self.redirect(mayBePortal: true)]))
        let message = try #require(try await bench.sync().result.error?.message)
        #expect(message.contains("login.wifi.example") && message.contains("may be wrong"), "\(message)")
    }

    static let others: [(ScriptedAnswer, RunOutcome)] = [
        (page(#"[{"id":1}]"#), .saved), (page(""), .failed), (page("not a page"), .failed),
        (page("<html/>", "text/xml"), .failed), (page("<b>no</b>", "text/plain"), .failed),
        (.text("<htmlx/>", headerFields: [:]), .failed), (page("<!doctype svg>", "application/json"), .failed),
        (page(status: .notFound), .failed),
    ]

    @Test(arguments: others)
    func `nothing else is taken for one`(answer: ScriptedAnswer, outcome: RunOutcome) async throws {
        let bench = try await EngineBench(ScriptedOrigin(["/posts": answer]))
        let report = try await bench.sync()
        #expect(report.result.outcome == outcome && report.result.error?.name != "captivePortal")
    }

    @Test func `a source that accepts HTML reports a web page as a broken contract`() async throws {
        var bench = try await EngineBench(ScriptedOrigin(["/posts": Self.page()]))
        bench.resource.source.headerFields[.accept] = "application/json, text/html;q=0.5"
        #expect(try await bench.sync().result.error?.name == "contract")
    }

    @Test func `a web page does not answer whether a record was deleted`() async throws {
        let bench = try await EngineBench.listed { $0.deletions.recordPath = "/posts/{id}" }
        for id in 1...5 { bench.origin.set("/posts/\(id)", Self.page()) }
        bench.list("[1]")
        for _ in 0..<2 {
            let report = try await bench.sync()
            #expect(report.result.counters.deleted == 0)
            #expect(report.warnings.contains { $0.contains("a web page answered instead") }, "\(report.warnings)")
        }
        bench.origin.set("/posts/2", .status(.notFound))
        #expect(try await bench.sync().result.counters.deleted == 1)
    }
}

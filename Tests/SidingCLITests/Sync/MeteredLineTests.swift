// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingOrigin
import Testing

/// A line that costs by the byte: what the program counts is what passed, and it stops where it is told to.
@Suite(.serialized)
struct MeteredLineTests {
    /// A service behind a relay that counts what passes, and a sandbox whose config leads through it.
    private struct Line {
        let service: Service
        let relay: Relay
        let sandbox: Sandbox
        private let config: String

        init(
            items: Int = 300, pageSize: Int = 50, source: String = "", more: String = "", routes: [any OriginRoute] = []
        ) async throws {
            service = try await Service.start(items: items, pageSize: pageSize, routes: routes)
            relay = try await Relay.start(to: service.origin.url)
            config = service.config(source: source, more: more).replacing(service.url, with: relay.url.origin)
            sandbox = try Sandbox()
            try sandbox.config(config)
        }

        /// A sandbox with the same config, and nothing stored yet.
        func another() throws -> Sandbox {
            let other = try Sandbox()
            try other.config(config)
            return other
        }

        /// The bytes that passed so far, in both directions.
        var carried: Int { get async { await relay.traffic.toClient + relay.traffic.toOrigin } }

        func end() async {
            await relay.stop()
            await service.origin.stop()
        }
    }

    private static let second = "  more: { path: /items, key: id }"

    // MARK: --max-bytes

    @Test func `a sync with --max-bytes carries at most one page more, and the next one continues at that page`()
        async throws
    {
        let line = try await Line()
        let whole = try await line.another().siding("sync", "--json").object()
        let all = await line.carried
        #expect(whole["bytes"]?.int == all && whole["pages"]?.int == 6)
        line.service.origin.forgetRequests()

        let largestPage = all / 6 + 300
        var (statuses, before): ([Int32], Int) = ([], all)
        while statuses.last != 0, statuses.count < 9 {
            let outcome = try await line.sandbox.siding("sync", "--max-bytes", "4KiB")
            statuses.append(outcome.status)
            let now = await line.carried
            #expect(now - before <= 4_096 + largestPage)
            before = now
            guard outcome.status != 0 else { continue }
            #expect(outcome.error.contains("items: queued: not requested now"), "\(outcome.everything)")
            #expect(outcome.error.contains("and may carry 4.0 KiB (--max-bytes)"))
            let entry = try await line.sandbox.siding("queue", "list", "--json").object()
            #expect(entry["attempts"]?.int == 0 && entry["tries"]?.int == 0)
            let status = try await line.sandbox.siding("status", "--json").object()
            #expect(status["connectivity"]?["gates"]?.array == [])
        }
        #expect(statuses.count > 2 && statuses.last == 0 && statuses.dropLast().allSatisfy { $0 == 75 }, "\(statuses)")
        // Nothing was asked for twice.
        #expect(line.service.targets.count == 6 && Set(line.service.targets).count == 6)
        #expect(before - all == all)
        #expect(try await line.sandbox.differences(from: line.service.items) == [])
        #expect(try await line.sandbox.siding("queue", "list").output.isEmpty)
        await line.end()
    }

    @Test func `a plain sync continues at once where --max-bytes ended, and has the origin's records`() async throws {
        let line = try await Line()
        let first = try await line.sandbox.siding("sync", "--max-bytes", "1KiB", "--json")
        #expect(first.status == 75)
        #expect(try first.object()["pages"]?.int == 1)
        let id = try #require(try first.object()["entry"]?.string)
        let shown = try await line.sandbox.siding("queue", "show", id)
        #expect(shown.output.contains("'siding sync items' tries it at once"), "\(shown.output)")
        #expect(try await line.sandbox.siding("runs", "list").output.contains("sync --max-bytes 1KiB"))
        let second = try await line.sandbox.siding("sync")
        #expect(second.status == 0, "\(second.everything)")
        #expect(Set(line.service.targets).count == 6 && line.service.targets.count == 6)
        #expect(try await line.sandbox.differences(from: line.service.items) == [])
        await line.end()
    }

    @Test func `resources after the one that used it up are skipped, exit 75, and leave no entry`() async throws {
        let line = try await Line(more: Self.second)
        let outcome = try await line.sandbox.siding("sync", "--max-bytes", "1KiB", "--json")
        #expect(outcome.status == 75)
        let reports = try outcome.objects()
        #expect(reports.map { $0["outcome"]?.string } == ["queued", "skipped"])
        #expect(reports[1]["error"]?["message"]?.string?.contains("this run has carried") == true)
        #expect(try await line.sandbox.siding("queue", "list", "--json").objects().count == 1)
        let told = try await line.sandbox.siding("sync", "--max-bytes", "1KiB")
        #expect(told.status == 75 && told.error.contains("more: skipped: not requested now"), "\(told.everything)")
        #expect(try await line.sandbox.siding("sync").status == 0)
        #expect(try await line.sandbox.differences(from: line.service.items, "more") == [])
        await line.end()
    }

    @Test func `a listing that is complete when it is carried exits 0, and 75 where another resource is left`()
        async throws
    {
        let line = try await Line(items: 50, more: Self.second)
        #expect(try await line.sandbox.siding("sync", "items", "--max-bytes", "1KiB").status == 0)
        let rest = try await line.another().siding("sync", "--max-bytes", "1KiB", "--json")
        #expect(try rest.objects().map { $0["outcome"]?.string } == ["saved", "skipped"])
        #expect(rest.status == 75)
        await line.end()
    }

    @Test func `own writes that a sync sends first count for --max-bytes`() async throws {
        let line = try await Line()
        line.service.listen { _, request in request.method == "GET" ? nil : .json("{}", status: .created) }
        let body = #"{"text":"\#(String(repeating: "x", count: 3_000))"}"#
        let kept = try await line.sandbox.siding("send", "POST", "shop:/items", "-d", body, "--no-send")
        #expect(kept.status == 0, "\(kept.everything)")
        let outcome = try await line.sandbox.siding("sync", "--max-bytes", "2KiB")
        #expect(outcome.status == 75)
        #expect(outcome.error.contains("items: skipped: not requested now"), "\(outcome.everything)")
        #expect(line.service.origin.requests.map(\.method) == ["POST"])
        #expect(try await line.sandbox.siding("sync").status == 0)
        await line.end()
    }

    @Test(arguments: ["2 MiB", "0", "2TiB", "-1"])
    func `text that is not a size is refused`(_ size: String) async throws {
        let line = try await Line(items: 1)
        let outcome = try await line.sandbox.siding("sync", "--max-bytes=\(size)")
        #expect(outcome.status == 64 && outcome.error.contains("max-bytes"), "\(outcome.everything)")
        #expect(line.service.targets.isEmpty)
        await line.end()
    }

    // MARK: Bytes on the wire

    @Test func `runs and status have the bytes that passed, compressed where they passed compressed`() async throws {
        var carried: [String: Int] = [:]
        for compression in ["always", "never"] {
            let line = try await Line(source: "http: { compression: \(compression) }")
            let report = try await line.sandbox.siding("sync", "--json").object()
            let bytes = await line.carried
            carried[compression] = bytes
            #expect(report["bytes"]?.int == bytes, "\(compression)")
            let run = try await line.sandbox.siding("runs", "show", "1", "--json").object()
            #expect(run["resources"]?.array?.first?["bytes"]?.int == bytes)
            let status = try await line.sandbox.siding("status", "--json").object()
            #expect(status["bytes_last_day"]?.int == bytes)
            #expect(status["last_run"]?["resources"]?.array?.first?["bytes"]?.int == bytes)
            // Unchanged pages cost their requests and heads.
            let second = try await line.sandbox.siding("sync", "--json").object()
            let more = await line.carried - bytes
            #expect(second["outcome"]?.string == "not_modified" && second["bytes"]?.int == more && more > 0)
            #expect(try await line.sandbox.siding("status", "--json").object()["bytes_last_day"]?.int == bytes + more)

            let shown = try await line.sandbox.siding("runs", "show", "1")
            #expect(shown.output.contains(/[0-9.]+ KiB over the network/), "\(shown.output)")
            let listed = try await line.sandbox.siding("runs", "list")
            #expect(listed.lines.last?.contains(/[0-9.]+ KiB/) == true, "\(listed.output)")
            let screen = try await line.sandbox.siding("status")
            #expect(screen.output.contains(/syncs carried [0-9.]+ KiB in the last 24 h/), "\(screen.output)")
            await line.end()
        }
        #expect(try #require(carried["always"]) < #require(carried["never"]) / 2)
    }

    @Test(arguments: [
        OriginFault.status(500), .cutBody(chunked: false), .cutBody(chunked: true), .notJSON, .wrongJSON, .cutGzip,
    ])
    func `a failed page counts with the bytes that it carried`(_ fault: OriginFault) async throws {
        let line = try await Line(source: "retry: { inline: 0 }, http: { compression: always }")
        line.service.origin.inject(fault, at: OriginPattern(path: "/items", query: ["page": "2"]))
        let outcome = try await line.sandbox.siding("sync", "--json")
        #expect(outcome.status != 0, "\(outcome.everything)")
        #expect(try outcome.object()["pages"]?.int == 1)
        let carried = await line.carried
        #expect(try outcome.object()["bytes"]?.int == carried)
        await line.end()
    }

    // MARK: limits

    @Test func `a limit of bytes holds for every process, exit 75, and says when there is room again`() async throws {
        let line = try await Line(source: "limits: [{ bytes: 4KiB/h }]")
        let first = try await line.sandbox.siding("sync", "-v")
        #expect(first.status == 75)
        #expect(first.error.contains("the limit '**' (4KiB/h) is used up until 20"), "\(first.everything)")
        let (carried, asked) = (await line.carried, line.service.targets.count)
        #expect(carried >= 4_096 && asked < 6)

        #expect(try await line.sandbox.siding("sync").status == 75)
        #expect(try await line.sandbox.siding("send", "POST", "shop:/items", "-d", "{}").status == 75)
        #expect(line.service.targets.count == asked)
        #expect(await line.carried == carried)

        let told = try await line.sandbox.siding("status", "--json").object()
        let limit = try #require(told["limits"]?.array?.first?.members)
        #expect(limit["unit"]?.string == "bytes" && limit["rate"]?.string == "4KiB/h")
        #expect(limit["used"]?.int == carried && limit["of"]?.int == 4_096)
        #expect(limit["free_at"]?.string != nil)
        let screen = try await line.sandbox.siding("status")
        #expect(
            screen.output.contains(/limit of shop '\*\*': [0-9.]+ KiB of 4KiB\/h used, full for another/),
            "\(screen.output)")
        #expect(try await line.sandbox.siding("plan").output.contains("4KiB/h"))
        await line.end()
    }

    @Test func `own writes count for a limit of bytes with the bytes that they carried`() async throws {
        let line = try await Line(source: "limits: [{ bytes: 4KiB/h }, { rate: 9/h }]")
        line.service.listen { _, request in request.method == "GET" ? nil : .json("{}", status: .created) }
        #expect(try await line.sandbox.siding("send", "POST", "shop:/items", "-d", "{}").status == 0)
        let body = #"{"text":"\#(String(repeating: "x", count: 5_000))"}"#
        #expect(try await line.sandbox.siding("send", "POST", "shop:/items", "-d", body, "--no-send").status == 0)
        #expect(try await line.sandbox.siding("queue", "run").status == 0)
        let limits = try await line.sandbox.siding("status", "--json").object()["limits"]?.array ?? []
        let carried = await line.carried
        #expect(limits.map { $0["unit"]?.string } == ["bytes", "requests"])
        #expect(limits.map { $0["used"]?.int } == [carried, 2])
        #expect(try await line.sandbox.siding("sync").status == 75)
        #expect(line.service.origin.requests.map(\.method) == ["POST", "POST"])
        await line.end()
    }
}

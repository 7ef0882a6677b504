// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import Testing

/// `--metrics-file`, and `trace: true`.
@Suite struct MetricsFileTests {
    private static func metrics(_ sandbox: Sandbox, _ name: String = "siding.prom") throws -> [String: Double] {
        let text = try String(contentsOfFile: sandbox.file(name), encoding: .utf8)
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        return Dictionary(
            uniqueKeysWithValues: lines.map { line in
                let space = line.lastIndex(of: " ") ?? line.endIndex
                return (String(line[..<space]), Double(line[space...].dropFirst()) ?? .nan)
            })
    }

    private static let labels = #"{resource="items",source="shop"}"#

    @Test func `the file agrees with status, and every user may read it`() async throws {
        let service = try await Service.start(items: 7)
        let sandbox = try Sandbox.with(service)
        let sync = try await sandbox.run(
            "/bin/sh", ["-c", "umask 077; exec \"$0\" sync --metrics-file siding.prom", SidingBinary.path()])
        #expect(sync.status == 0 && sync.everything.isEmpty, "\(sync.everything)")
        let metrics = try Self.metrics(sandbox)
        let status = try await sandbox.siding("status", "--json").object()
        let line = try #require(status["resources"]?.array?.first)
        #expect(metrics["siding_resource_records\(Self.labels)"] == 7 && line["records"]?.int == 7)
        #expect(metrics["siding_resource_stale\(Self.labels)"] == 0 && line["stale"]?.bool == false)
        #expect(metrics["siding_runs_started_total"].map(Int.init) == status["last_run"]?["id"]?.int)
        #expect(metrics["siding_last_day_bytes"].map(Int.init) == status["bytes_last_day"]?.int)
        #expect(metrics[#"siding_last_run_outcome{outcome="saved"}"#] == 1)
        let mode = try FileManager.default.attributesOfItem(atPath: sandbox.file("siding.prom"))[.posixPermissions]
        #expect(mode as? Int == 0o644)
        await service.origin.stop()
    }

    @Test func `the file is written in one step, regardless of the command's end`() async throws {
        let service = try await Service.start(items: 7)
        let sandbox = try Sandbox.with(service, source: "retry: { inline: 0 }")
        #expect(try await sandbox.siding("sync", "--metrics-file", "siding.prom").status == 0)
        let first = try FileHandle(forReadingFrom: URL(filePath: sandbox.file("siding.prom")))
        service.listen { _, _ in .notFound }
        #expect(try await sandbox.siding("sync", "--metrics-file", "siding.prom").status == 69)
        #expect(try Self.metrics(sandbox)["siding_resource_failing\(Self.labels)"] == 1)
        // Whoever had opened the old file still reads it whole, and nothing is left beside the new one.
        let old = String(decoding: try first.readToEnd() ?? Data(), as: UTF8.self)
        #expect(old.contains("siding_resource_failing\(Self.labels) 0\n") && old.hasSuffix("\n"))
        let files = try FileManager.default.contentsOfDirectory(atPath: sandbox.path)
        #expect(files.filter { $0.contains("prom") } == ["siding.prom"])
        await service.origin.stop()
        #expect(try await sandbox.siding("sync", "--metrics-file", "siding.prom").status == 75)
        let queued = try Self.metrics(sandbox).filter { $0.key.hasPrefix("siding_queue_entries{") }
        #expect(queued.values.reduce(0, +) == 1)
    }

    @Test func `queue run writes it too`() async throws {
        let service = try await Service.start(items: 1)
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.siding("queue", "run", "--metrics-file", "siding.prom").status == 0)
        #expect(try Self.metrics(sandbox)["siding_resource_records\(Self.labels)"] == 1)
        await service.origin.stop()
    }

    @Test func `a file that cannot be written is the exit code only if nothing else failed`() async throws {
        let service = try await Service.start(items: 1)
        let sandbox = try Sandbox.with(service, source: "retry: { inline: 0 }")
        let path = "missing/siding.prom"
        let written = try await sandbox.siding("sync", "--metrics-file", path)
        #expect(written.status == 74 && written.error.contains("missing/siding.prom cannot be written"))
        #expect(try await sandbox.count() == 1)
        await service.origin.stop()
        let queued = try await sandbox.siding("sync", "--metrics-file", path)
        #expect(queued.status == 75, "\(queued.everything)")
        #expect(queued.error.contains("the metrics were not written: missing/siding.prom cannot be written"))
    }

    @Test(arguments: [["sync"], ["queue", "run"]])
    func `an empty path is a mistake in the command, and nothing is done`(_ command: [String]) async throws {
        let service = try await Service.start(items: 1)
        let sandbox = try Sandbox.with(service)
        let outcome = try await sandbox.siding(command + ["--metrics-file", ""])
        #expect(outcome.status == 64 && outcome.error.contains("--metrics-file needs the path of a file"))
        #expect(service.targets == [])
        await service.origin.stop()
    }

    @Test func `a bad config is reported once, and no file is written`() async throws {
        let sandbox = try Sandbox()
        try sandbox.config("version: 1\nsource: {}\n")
        let outcome = try await sandbox.siding("sync", "--metrics-file", "siding.prom")
        #expect(outcome.status == 78 && !outcome.error.contains("metrics"))
        #expect(!FileManager.default.fileExists(atPath: sandbox.file("siding.prom")))
    }

    @Test func `a traceparent is sent to the source that asks for it, and to no other`() async throws {
        let (traced, plain) = (try await Service.start(items: 15), try await Service.start(items: 15))
        let sandbox = try Sandbox()
        try sandbox.config(
            """
            version: 1
            database: { path: test.db }
            sources:
              traced: { base_url: \(traced.url), trace: true }
              plain: { base_url: \(plain.url) }
            resources:
              a: { source: traced, path: /items, key: id }
              b: { source: plain, path: /items, key: id }
            """)
        let sync = try await sandbox.siding("sync", "-vvv")
        #expect(sync.status == 0, "\(sync.everything)")
        let name = try #require(HTTPField.Name("traceparent"))
        let sent = traced.origin.requests.map { $0.headerFields[name] ?? "" }
        #expect(sent.count == 2 && Set(sent).count == 2)
        #expect(sent.allSatisfy { $0.wholeMatch(of: /00-[0-9a-f]{32}-[0-9a-f]{16}-01/) != nil })
        #expect(sent.allSatisfy { sync.error.contains("traceparent=\($0)") })
        #expect(plain.origin.requests.count == 2)
        #expect(plain.origin.requests.allSatisfy { $0.headerFields[name] == nil })
        await traced.origin.stop()
        await plain.origin.stop()
    }
}

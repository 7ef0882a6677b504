// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingPaging
import SidingTesting
import Testing

@testable import Siding

/// Records of different parents under equal keys, and records that move from one parent to another.
@Suite(.timeLimit(.minutes(5))) struct SharedKeysTests {
    /// Two channels, `1` and `2`, each with its messages.
    private struct Bench {
        let bench: EngineBench
        var messages: AnyResource

        init(_ parents: ForEach.Parents = .all) async throws {
            bench = try await EngineBench(ScriptedOrigin())
            messages = bench.resource
            (messages.name, messages.path) = ("messages", "/{channel}")
            messages.forEach = ForEach(
                "posts", parents: parents, bind: ["channel": JSONPath(member: "id")], concurrency: 1)
            channels(#"{"id":1}"#, #"{"id":2}"#)
        }

        func channels(_ bodies: String...) {
            bench.origin.set("/posts", .text("[\(bodies.joined(separator: ","))]"))
        }

        /// What a channel lists at `target`.
        func set(_ target: String, _ bodies: String..., etag: String? = nil) {
            var fields: HTTPFields = [.contentType: "application/json"]
            if let etag { fields[.eTag] = etag }
            bench.origin.set(target, .text("[\(bodies.joined(separator: ","))]", headerFields: fields))
        }

        /// Channels and messages in one run.
        @discardableResult
        func sync(_ options: SyncOptions = SyncOptions()) async throws -> SyncReport {
            bench.time.advance(by: .seconds(60))
            return try #require(try await bench.engine().run([bench.resource, messages], options: options).last)
        }

        func stored() async throws -> [String] {
            try await bench.store.records(of: "messages", after: nil, limit: 99, deleted: false)
                .map { String(decoding: $0.body, as: UTF8.self) }
        }

        func refused() async throws -> [QuarantinedRecord] {
            try await bench.store.quarantined(QuarantineSelection())
        }
    }

    private static let reason = "key '7' under the parent '2' is the key of another record under the parent '1'"

    @Test func `a key of two parents is reported in every pass, and the first record stays`() async throws {
        let bench = try await Bench()
        bench.set("/1", #"{"id":7,"text":"a"}"#, #"{"id":8,"text":"a"}"#)
        bench.set("/2", #"{"id":7,"text":"b"}"#, #"{"id":9,"text":"b"}"#, etag: "\"v1\"")
        for _ in 0..<3 {
            let report = try await bench.sync()
            #expect(report.result.counters.quarantined == 1)
            #expect(
                report.warnings.count == 1 && report.warnings[0].hasPrefix("1 record was not saved: \(Self.reason). "))
            #expect(report.warnings[0].contains("'key: [order, line]'"))
            #expect(
                try await bench.stored()
                    == [#"{"id":7,"text":"a"}"#, #"{"id":8,"text":"a"}"#, #"{"id":9,"text":"b"}"#])
            let refused = try await bench.refused()
            #expect(refused.map(\.code) == ["shared_key"] && refused.map(\.reason) == [Self.reason])
        }
    }

    @Test(arguments: ["0", "3"])
    func `a record that a new parent overwrites is reported, though the page of the other parent is unchanged`(
        _ parent: String
    ) async throws {
        let bench = try await Bench()
        bench.set("/1", #"{"id":7,"text":"a"}"#, etag: "\"v1\"")
        bench.set("/2", etag: "\"v2\"")
        _ = try await bench.sync()
        bench.channels(#"{"id":1}"#, #"{"id":2}"#, #"{"id":\#(parent)}"#)
        bench.set("/\(parent)", #"{"id":7,"text":"b"}"#)
        let origin = bench.bench.origin
        origin.set("/1", .status(.notModified))
        origin.set("/2", .status(.notModified))
        _ = origin.takeRequests()
        var warnings: [String] = []
        for _ in 0..<2 { warnings += try await bench.sync().warnings }
        let asked = origin.takeRequests().filter { $0.path == "/1" }
        let isAskedWhole = asked.contains { $0.headerFields[.ifNoneMatch] == nil }
        #expect(isAskedWhole || !warnings.isEmpty, "a 304 would confirm what was overwritten")
        bench.set("/1", #"{"id":7,"text":"a"}"#, etag: "\"v1\"")
        warnings += try await bench.sync().warnings
        #expect(warnings.contains { $0.contains("is the key of another record under the parent") }, "\(warnings)")
    }

    @Test func `many keys of two parents are reported in one line`() async throws {
        let bench = try await Bench()
        for channel in 1...2 {
            let bodies = (1...5).map { #"{"id":\#($0),"channel":\#(channel)}"# }
            bench.bench.origin.set("/\(channel)", .text("[\(bodies.joined(separator: ","))]"))
        }
        let report = try await bench.sync()
        #expect(report.result.counters.quarantined == 5 && report.result.counters.inserted == 5)
        #expect(report.warnings.count == 1 && report.warnings[0].hasPrefix("5 records were not saved: key '1' under "))
        #expect(report.warnings[0].contains("; …. If these are different records"))
    }

    @Test func `a record that moves from one parent to another moves without a warning`() async throws {
        let bench = try await Bench()
        bench.set("/1", #"{"id":7,"channel":1}"#)
        bench.set("/2")
        try await bench.sync()
        for (from, to) in [(1, 2), (2, 1)] {
            bench.set("/\(from)")
            bench.set("/\(to)", #"{"id":7,"channel":\#(to)}"#)
            let report = try await bench.sync()
            #expect(report.warnings == [] && report.result.counters.quarantined == 0)
            #expect(try await bench.stored() == [#"{"id":7,"channel":\#(to)}"#])
        }
    }

    @Test func `a record that both parents list is one record`() async throws {
        let bench = try await Bench()
        for version in 1...3 {
            for channel in 1...2 { bench.set("/\(channel)", #"{"id":7,"version":\#(version)}"#) }
            let report = try await bench.sync()
            #expect(report.warnings == [] && report.result.counters.quarantined == 0)
            #expect(try await bench.stored() == [#"{"id":7,"version":\#(version)}"#])
        }
    }

    @Test func `once the first parent no longer lists the key, the other one's record is saved`() async throws {
        let bench = try await Bench()
        bench.set("/1", #"{"id":7,"text":"a"}"#)
        bench.set("/2", #"{"id":7,"text":"b"}"#)
        try await bench.sync()
        bench.set("/1")
        let report = try await bench.sync()
        #expect(report.warnings == [] && report.result.counters.quarantined == 0)
        #expect(try await bench.stored() == [#"{"id":7,"text":"b"}"#])
        #expect(try await bench.refused() == [])
    }

    @Test func `once the first parent is deleted, the other one's record is saved`() async throws {
        let bench = try await Bench()
        bench.set("/1", #"{"id":7,"text":"a"}"#)
        bench.set("/2", #"{"id":7,"text":"b"}"#)
        try await bench.sync()
        bench.channels(#"{"id":2}"#)
        let now = bench.bench.time.now
        try await bench.bench.store.write("posts") { table, transaction in
            try table.markDeleted([1], cause: .missing, run: 1, now: now, revision: 9, transaction)
        }
        #expect(try await bench.sync().warnings == [])
        #expect(try await bench.stored() == [#"{"id":7,"text":"b"}"#])
    }

    @Test func `a resumed pass reports it, too`() async throws {
        let bench = try await Bench()
        bench.set("/1", #"{"id":7,"text":"a"}"#)
        bench.bench.origin.set("/2", .status(.internalServerError))
        #expect(try await bench.sync().result.counters.inserted == 1)
        bench.set("/2", #"{"id":7,"text":"b"}"#)
        bench.bench.time.advance(by: .seconds(3600))
        let report = try await bench.sync()
        #expect(report.result.notes.contains("continues the interrupted pass"))
        #expect(report.warnings.contains { $0.contains(Self.reason) })
        #expect(try await bench.stored() == [#"{"id":7,"text":"a"}"#])
    }

    @Test func `a record that was refused stays so in passes of changes, and in a retry`() async throws {
        let bench = try await Bench(.changed)
        bench.set("/1", #"{"id":7,"text":"a"}"#)
        bench.set("/2", #"{"id":7,"text":"b"}"#)
        try await bench.sync()
        // Only the second channel is listed.
        bench.channels(#"{"id":1}"#, #"{"id":2,"topic":"new"}"#)
        bench.set("/2", #"{"id":7,"text":"c"}"#)
        #expect(try await bench.sync().warnings.contains { $0.contains(Self.reason) })
        let changes = try await bench.bench.store.retryQuarantined(QuarantineSelection(), as: [bench.messages])
        #expect(changes.count == 1 && changes.allSatisfy { $0.refusal != nil })
        #expect(try await bench.stored() == [#"{"id":7,"text":"a"}"#])
        #expect(try await bench.refused().map(\.code) == ["shared_key"])
    }

    @Test func `a record that moved from a parent that is refused for good is saved once an operator names it`()
        async throws
    {
        let bench = try await Bench()
        let store = bench.bench.store
        bench.set("/1", #"{"id":7,"text":"a"}"#)
        bench.set("/2", #"{"id":7,"text":"b"}"#)
        try await bench.sync()
        func retryNamed() async throws -> [QuarantineChange] {
            let ids = try await bench.refused().map(\.id)
            return try await store.retryQuarantined(QuarantineSelection(ids: ids), as: [bench.messages])
        }
        // The first channel lists it.
        #expect(try await retryNamed().map { $0.refusal == nil } == [false])
        bench.bench.origin.set("/1", .status(.forbidden))
        bench.set("/2", #"{"id":7,"text":"c"}"#)
        for _ in 0..<3 {
            let report = try await bench.sync()
            #expect(report.warnings.contains { $0.contains("'siding quarantine retry NUMBER'") }, "\(report.warnings)")
        }
        let all = try await store.retryQuarantined(QuarantineSelection(), as: [bench.messages])
        #expect(all.map { $0.refusal == nil } == [false])
        #expect(try await retryNamed().map { $0.refusal == nil } == [true])
        #expect(try await bench.stored() == [#"{"id":7,"text":"c"}"#])
        bench.set("/2", #"{"id":7,"text":"d"}"#)
        #expect(try await bench.sync().result.counters.quarantined == 0)
        #expect(try await bench.stored() == [#"{"id":7,"text":"d"}"#])
    }

    /// Messages that are listed by what changed, after a first sync: two parents share a key.
    private static func incremental() async throws -> Bench {
        var bench = try await Bench()
        bench.messages.query = ["since": "{cursor}"]
        bench.messages.cursor = IncrementalCursor(at: .record(JSONPath(member: "at")), type: .integer)
        bench.set("/1", #"{"id":7,"at":1}"#)
        bench.set("/2", #"{"id":7,"at":5}"#, #"{"id":8,"at":5}"#)
        try await bench.sync()
        return bench
    }

    @Test func `a full listing saves a record that moved, where increments cannot show that it did`() async throws {
        let bench = try await Self.incremental()
        bench.set("/1")
        bench.set("/1?since=1")
        bench.set("/2?since=5", #"{"id":7,"at":6}"#)
        let report = try await bench.sync()
        #expect(report.warnings.contains { $0.contains("'siding sync messages --full'") }, "\(report.warnings)")
        bench.set("/2", #"{"id":7,"at":6}"#, #"{"id":8,"at":5}"#)
        #expect(try await bench.sync(SyncOptions(isFull: true)).result.counters.quarantined == 0)
        #expect(try await bench.stored() == [#"{"id":7,"at":6}"#, #"{"id":8,"at":5}"#])
        #expect(try await bench.refused() == [])
    }

    @Test func `a record that was refused stays so while increments do not show the first one`() async throws {
        let bench = try await Self.incremental()
        bench.set("/1?since=1")
        bench.set("/2?since=5", #"{"id":7,"at":6}"#)
        for _ in 0..<2 {
            let report = try await bench.sync()
            #expect(report.warnings.contains { $0.contains(Self.reason) }, "\(report.warnings)")
            #expect(try await bench.stored() == [#"{"id":7,"at":1}"#, #"{"id":8,"at":5}"#])
            bench.set("/2?since=6", #"{"id":7,"at":6}"#)
        }
    }
}

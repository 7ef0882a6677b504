// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// What is gone where each record of another resource has a listing.
@Suite struct PassProofTests {
    /// Parents with their records, and the resource that lists these.
    private struct Bench {
        let bench: EngineBench
        var tasks: AnyResource

        init(
            _ parents: ForEach.Parents = .all, _ deletions: Deletions = Deletions(byAbsence: true)
        ) async throws {
            bench = try await EngineBench(ScriptedOrigin())
            tasks = bench.resource
            (tasks.name, tasks.path, tasks.deletions) = ("tasks", "/posts/{post}/tasks", deletions)
            tasks.forEach = ForEach(
                "posts", parents: parents, bind: ["post": JSONPath(member: "id")], concurrency: 1)
        }

        /// What each parent lists; a version other than 0 is written into the parent.
        func set(_ records: [Int: [Int]], versions: [Int: Int] = [:]) {
            let parents = records.keys.sorted().map { #"{"id":\#($0),"v":\#(versions[$0] ?? 0)}"# }
            bench.origin.set("/posts", .text("[\(parents.joined(separator: ","))]"))
            for (parent, ids) in records {
                bench.origin.set("/posts/\(parent)/tasks", ScriptedOrigin.page("\(ids)".filter { $0 != " " }))
            }
        }

        /// Parents and records in one run.
        @discardableResult
        func sync(_ options: SyncOptions = SyncOptions()) async throws -> SyncReport {
            bench.time.advance(by: .seconds(60))
            return try #require(try await bench.engine().run([bench.resource, tasks], options: options).last)
        }

        func keys() async throws -> [Int] {
            try await bench.store.records(of: "tasks", after: nil, limit: 999, deleted: false)
                .compactMap { Int($0.key) }.sorted()
        }
    }

    private static var accepting: SyncOptions {
        var options = SyncOptions()
        options.acceptsDeletes = true
        return options
    }

    private static let unproven = " missing from all listings but w"

    @Test func `a pass reports the records that the next one deletes`() async throws {
        let bench = try await Bench()
        bench.set([1: [11, 12], 2: [21]])
        try await bench.sync()
        bench.set([1: [11], 2: [21]])
        let note = "1 record is missing at the origin: deleted once further complete listings lack it, too"
        #expect(try await bench.sync().result.notes.contains(note))
        #expect(try await !bench.sync().result.notes.contains(note))
        #expect(try await bench.keys() == [11, 21])
    }

    @Test(arguments: [HTTPResponse.Status.noContent, .conflict])
    func `a record is not called unchanged while another listing is not known`(status: HTTPResponse.Status) async throws
    {
        let bench = try await Bench()
        bench.set([1: [11, 12], 2: [21, 22]])
        try await bench.sync()
        bench.set([1: [11], 2: [21, 22]])
        bench.bench.origin.set("/posts/2/tasks", .status(status))
        for _ in 0..<3 { try await bench.sync() }
        func confirmation(_ key: String) async throws -> RecordProvenance.Confirmation {
            try #require(try await bench.bench.store.provenance(of: "tasks", key: key)).confirmation
        }
        let (gone, kept) = (try await confirmation("12"), try await confirmation("11"))
        #expect(gone.isUnknown && !gone.isMissing && gone.confirmedAt == nil)
        #expect(!kept.isUnknown && !kept.isMissing)
        bench.set([1: [11], 2: [21, 22]])
        try await bench.sync()
        let known = try await confirmation("12")
        #expect(!known.isUnknown && known.isMissing)
    }

    @Test func `a record missing from two passes over all parents is deleted`() async throws {
        let bench = try await Bench()
        bench.set([1: [11, 12], 2: [21, 22]])
        for _ in 0..<2 { try await bench.sync() }
        bench.set([1: [11], 2: [21, 22]])
        #expect(try await bench.sync().result.counters.deleted == 0)
        let report = try await bench.sync()
        #expect(report.result.counters.deleted == 1 && report.result.outcome == .saved)
        #expect(try await bench.bench.lastRun().resources.first { $0.resource == "tasks" }?.counters.deleted == 1)
        #expect(try await bench.keys() == [11, 21, 22])
        #expect(try await bench.sync().result.counters.deleted == 0)
    }

    @Test func `an own create stays until a listing shows it, as its parent may be one that is not listed`()
        async throws
    {
        let bench = try await Bench()
        bench.set([1: [11], 2: [21, 22]])
        for _ in 0..<2 { try await bench.sync() }
        let store = bench.bench.store
        _ = try await store.enqueue(
            WriteRequest(to: "blog", .post, try HTTPURL("https://api.example.org/tasks"), body: Array(#"{"n":1}"#.utf8))
                .with(\.edit, WriteEdit(.create, of: bench.tasks)))
        let write = try #require(try await store.claim(ClaimRequest(sources: ["blog": 9], passesGates: true)))
        _ = try await store.recordResult(write, WriteResult(.answered(#"{"id":99}"#, status: 201), .nothing))
        for _ in 0..<4 { #expect(try await bench.sync().result.counters.deleted == 0) }
        #expect(try await bench.keys() == [11, 21, 22, 99])
        bench.set([1: [11, 99], 2: [21, 22]])
        try await bench.sync()
        bench.set([1: [11], 2: [21, 22]])
        for _ in 0..<3 { try await bench.sync() }
        #expect(try await bench.keys() == [11, 21, 22])
    }

    @Test func `a record that moved to a parent whose listing fails is not deleted`() async throws {
        let bench = try await Bench()
        bench.set([1: [11, 12], 2: [21]])
        for _ in 0..<2 { try await bench.sync() }
        bench.set([1: [11], 2: [21, 12]])
        bench.bench.origin.set("/posts/2/tasks", .status(.forbidden))
        for _ in 0..<3 {
            let report = try await bench.sync()
            #expect(report.result.counters.deleted == 0)
            #expect(
                report.result.notes.contains(
                    "1 record is missing from all listings but was kept: 1 listing was not completed in this pass"))
        }
        bench.set([1: [11], 2: [21, 12]])
        for _ in 0..<3 { #expect(try await bench.sync().result.counters.deleted == 0) }
        #expect(try await bench.keys() == [11, 12, 21])
    }

    @Test func `where only changed parents are requested, a pass over all of them has to show it`() async throws {
        let bench = try await Bench(.changed)
        bench.set([1: [11, 12, 13], 2: [21]])
        for _ in 0..<2 { try await bench.sync() }
        // 12 moved, and the parent that has it now did not change; 13 is gone.
        for version in 1...3 {
            bench.set([1: [11], 2: [21, 12]], versions: [1: version])
            #expect(try await bench.sync().result.counters.deleted == 0)
        }
        #expect(try await bench.keys() == [11, 12, 13, 21])
        // 12 moved, so that three passes are needed.
        for deleted in [0, 0, 1] {
            #expect(try await bench.sync(SyncOptions(isFull: true)).result.counters.deleted == deleted)
        }
        #expect(try await bench.keys() == [11, 12, 21])
    }

    @Test func `all listings have one guard together, and one message`() async throws {
        let bench = try await Bench()
        let parents = 1...20
        let all = Dictionary(uniqueKeysWithValues: parents.map { ($0, [$0 * 10, $0 * 10 + 1, $0 * 10 + 2]) })
        bench.set(all)
        for _ in 0..<2 { try await bench.sync() }
        bench.set(all.mapValues { [$0[0]] })
        try await bench.sync()
        for _ in 0..<3 {
            let report = try await bench.sync()
            #expect(report.result.counters.deletionsBlocked == 40 && report.result.counters.deleted == 0)
            #expect(report.warnings.filter { $0.contains("more than deletes.max") }.count == 1)
            #expect(report.warnings.contains { $0.hasPrefix("40 records are missing at the origin") })
        }
        #expect(try await bench.keys().count == 60)
        #expect(try await bench.sync(Self.accepting).result.counters.deleted == 40)
        #expect(try await bench.keys().count == 20)
    }

    @Test(arguments: [false, true])
    func `where every parent shows nothing, or answers that it does not exist, nothing is deleted`(
        _ isMissing: Bool
    ) async throws {
        let bench = try await Bench()
        let all = Dictionary(uniqueKeysWithValues: (1...8).map { ($0, [$0 * 10]) })
        bench.set(all)
        for _ in 0..<2 { try await bench.sync() }
        bench.set(all.mapValues { _ in [] })
        if isMissing { for parent in 1...8 { bench.bench.origin.set("/posts/\(parent)/tasks", .status(.notFound)) } }
        try await bench.sync()
        for _ in 0..<3 { #expect(try await bench.sync().result.counters.deletionsBlocked == 8) }
        #expect(try await bench.keys().count == 8)
    }

    @Test func `a listing that continues where an earlier pass stopped does not count`() async throws {
        let bench = try await Bench()
        let (origin, second) = (bench.bench.origin, "/posts/1/tasks?page=2")
        func list(_ first: String, _ rest: ScriptedAnswer) {
            origin.set("/posts/1/tasks", ScriptedOrigin.page(first, next: second))
            origin.set(second, rest)
        }
        bench.set([1: [], 2: [21]])
        list("[1,2]", ScriptedOrigin.page("[3,4]"))
        try await bench.sync()
        // 3 moves to the first page, which was read before; twice.
        for _ in 0..<2 {
            list("[1,2]", .status(.forbidden))
            try await bench.sync()
            list("[2,3]", ScriptedOrigin.page("[4]"))
            #expect(try await bench.sync().result.counters.deleted == 0)
            list("[1,2]", ScriptedOrigin.page("[3,4]"))
        }
        #expect(try await bench.keys() == [1, 2, 3, 4, 21])
    }

    @Test func `an incomplete listing is requested again, and is reported as long as it stays so`() async throws {
        let bench = try await Bench()
        bench.set([1: [11, 12], 2: [21]])
        bench.bench.origin.set("/posts/2/tasks", .text(#"[{"id":21},{"no":1}]"#, headerFields: [.eTag: "\"a\""]))
        for _ in 0..<2 { try await bench.sync() }
        _ = bench.bench.origin.takeRequests()
        bench.set([1: [11], 2: [21]], versions: [1: 1])
        bench.bench.origin.set("/posts/2/tasks", .text(#"[{"id":21},{"no":1}]"#, headerFields: [.eTag: "\"a\""]))
        let report = try await bench.sync()
        #expect(report.result.notes.contains { $0.contains("1 listing is not known completely") })
        let asked = bench.bench.origin.takeRequests().filter { $0.path == "/posts/2/tasks" }
        #expect(asked.count == 1 && asked.allSatisfy { $0.headerFields[.ifNoneMatch] == nil })
        bench.set([1: [11], 2: [21]], versions: [1: 1])
        for _ in 0..<3 { try await bench.sync(SyncOptions(isFull: true)) }
        #expect(try await bench.keys() == [11, 21])
    }

    @Test func `the records of the only listing are reconciled by the passes after it, and the reverse`() async throws {
        let bench = try await Bench()
        var plain = bench.tasks
        (plain.path, plain.forEach) = ("/tasks", nil)
        let origin = bench.bench.origin
        origin.set("/tasks", ScriptedOrigin.page("[11,12,13,21]"))
        bench.set([1: [11, 12], 2: [21]])
        _ = try await bench.bench.engine().run([bench.bench.resource, plain])
        for deleted in [0, 0, 1] { #expect(try await bench.sync().result.counters.deleted == deleted) }
        #expect(try await bench.keys() == [11, 12, 21])
        // The pages of a changed definition were not known before: three listings are needed.
        origin.set("/tasks", ScriptedOrigin.page("[11,21]"))
        var deleted: [Int] = []
        for _ in 0..<3 {
            deleted.append(try await bench.bench.engine().run([plain]).last?.result.counters.deleted ?? 0)
        }
        #expect(deleted == [0, 0, 1])
        #expect(try await bench.keys() == [11, 21])
    }

    @Test func `where deletes is declared over stored records, the earlier ones are reconciled`() async throws {
        var bench = try await Bench(.all, Deletions())
        bench.set([1: [11, 12, 13], 2: [21]])
        try await bench.sync()
        bench.set([1: [11, 13], 2: [21]])
        try await bench.sync()
        bench.tasks.deletions = Deletions(byAbsence: true)
        #expect(try await bench.sync().result.counters.deleted == 0)
        #expect(try await bench.sync().result.counters.deleted == 1)
        #expect(try await bench.keys() == [11, 13, 21])
    }

    @Test func `records of a deleted parent stay, and those that moved before follow their new parent`() async throws {
        let bench = try await Bench()
        bench.set([1: [11], 2: [21, 22]])
        for _ in 0..<2 { try await bench.sync() }
        bench.set([1: [11, 21], 2: [22]])
        try await bench.sync()
        _ = try await bench.bench.store.delete(RecordLookup(resource: "posts", keys: ["2"]))
        bench.set([1: [11]])
        for _ in 0..<3 { try await bench.sync() }
        #expect(try await bench.keys() == [11, 22])
    }

    @Test func `the unchanged page of another parent does not show the records of the deleted one`() async throws {
        let bench = try await Bench()
        bench.set([1: [11, 12], 2: [12, 21]])
        let (origin, target) = (bench.bench.origin, "/posts/1/tasks")
        origin.set(target, ScriptedOrigin.page("[11,12]", etag: #""a""#))
        // 12 is seen last in the listing of 2.
        for _ in 0..<2 {
            try await bench.sync()
            origin.set(target, .status(.notModified, headerFields: [.eTag: #""a""#]))
        }
        _ = try await bench.bench.store.delete(RecordLookup(resource: "posts", keys: ["2"]))
        origin.set("/posts", ScriptedOrigin.page("[1]"))
        for _ in 0..<2 { #expect(try await bench.sync().result.counters.deleted == 0) }
        #expect(try await bench.keys() == [11, 12, 21])
        origin.set(target, ScriptedOrigin.page("[11]", etag: #""b""#))
        #expect(try await bench.sync().result.counters.deleted == 0)
        #expect(try await bench.sync().result.counters.deleted == 1)
        #expect(try await bench.keys() == [11, 21])
    }

    // MARK: Asking the origin

    @Test func `under a changed definition no record is verified before a pass was complete`() async throws {
        var bench = try await Bench(.all, Deletions(byAbsence: true, recordPath: "/tasks/{id}"))
        bench.set([1: [11, 12], 2: [21]])
        for _ in 0..<2 { try await bench.sync() }
        bench.tasks.query = ["v": 2]
        let origin = bench.bench.origin
        origin.set("/posts/1/tasks?v=2", ScriptedOrigin.page("[11]"))
        origin.set("/posts/2/tasks?v=2", .status(.forbidden))
        _ = origin.takeTargets()
        #expect(try await bench.sync().result.notes.contains { $0.contains(Self.unproven) })
        origin.set("/posts/2/tasks?v=2", ScriptedOrigin.page("[21]"))
        #expect(try await bench.sync().result.counters.deleted == 0)
        #expect(!origin.takeTargets().contains("/tasks/12"))
        #expect(try await bench.sync().result.counters.deleted == 1)
        #expect(origin.takeTargets().contains("/tasks/12"))
        #expect(try await bench.keys() == [11, 21])
    }

    @Test func `a record with a path of its own is verified once it is missing from a pass`() async throws {
        let bench = try await Bench(.all, Deletions(byAbsence: true, recordPath: "/tasks/{id}"))
        bench.set([1: [11, 12, 13], 2: [21]])
        for _ in 0..<2 { try await bench.sync() }
        bench.set([1: [11], 2: [21, 12]], versions: [1: 1])
        _ = bench.bench.origin.takeTargets()
        #expect(try await bench.sync().result.counters.deleted == 1)
        // The questions go out together.
        #expect(
            bench.bench.origin.takeTargets().sorted()
                == ["/posts", "/posts/1/tasks", "/posts/2/tasks", "/tasks/13"])
        #expect(try await bench.keys() == [11, 12, 21])
    }

    @Test func `a record with a path below its parent is verified once it is missing from two passes over all`()
        async throws
    {
        let path = "/posts/{post}/tasks/{id}"
        let bench = try await Bench(.all, Deletions(byAbsence: true, recordPath: path))
        bench.set([1: [11, 12, 13], 2: [21]])
        for _ in 0..<2 { try await bench.sync() }
        bench.set([1: [11], 2: [21]])
        _ = bench.bench.origin.takeTargets()
        try await bench.sync()
        #expect(!bench.bench.origin.takeTargets().contains { $0.hasPrefix("/posts/1/tasks/") })
        bench.bench.origin.set("/posts/1/tasks/12", .text(#"{"id":12}"#))
        #expect(try await bench.sync().result.counters.deleted == 1)
        #expect(
            bench.bench.origin.takeTargets().filter { $0.hasPrefix("/posts/1/tasks/") }.sorted()
                == ["/posts/1/tasks/12", "/posts/1/tasks/13"])
        #expect(try await bench.keys() == [11, 12, 21])
    }

    @Test func `the origin's answers about single records have the same guard`() async throws {
        let bench = try await Bench(.all, Deletions(byAbsence: true, recordPath: "/tasks/{id}"))
        let all = Dictionary(uniqueKeysWithValues: (1...10).map { ($0, [$0 * 10, $0 * 10 + 1, $0 * 10 + 2]) })
        bench.set(all)
        for _ in 0..<2 { try await bench.sync() }
        bench.set(all.mapValues { [$0[0]] })
        for _ in 0..<2 {
            let report = try await bench.sync()
            #expect(report.result.counters.deletionsBlocked == 20 && report.result.counters.deleted == 0)
        }
        #expect(try await bench.sync(Self.accepting).result.counters.deleted == 20)
        #expect(try await bench.keys().count == 10)
    }
}

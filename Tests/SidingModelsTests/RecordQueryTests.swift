// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingJSON
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding
@testable import SidingModels

@Suite struct RecordQueryTests {
    private static let page = #"""
        [{"id":1,"title":"One","state":"open","comments":5,"created_at":"2026-01-03T00:00:00Z","user":{"login":"al"}},
         {"id":2,"title":"Two","state":"closed","comments":0,"created_at":"2026-01-01T00:00:00Z","score":1.5},
         {"id":3,"title":"Three","comments":9,"locked":true,"created_at":"2026-01-02T00:00:00Z"},
         {"id":10,"title":"ten","state":"open","comments":3,"unknown":{"kept":1}}]
        """#

    private func bench() async throws -> TypedBench {
        let bench = try await TypedBench()
        try await bench.sync(Self.page)
        return bench
    }

    @Test func `a resource that was never synced has no records`() async throws {
        let bench = try await TypedBench()
        #expect(try await bench.siding.records(of: bench.issues).array() == [])
        #expect(try await bench.siding.records(of: bench.issues).count() == 0)
        #expect(try await bench.siding.record(of: bench.issues, key: 1) == nil)
    }

    @Test func `synced records are read as values of the model, with the line down`() async throws {
        let bench = try await bench()
        let all = try await bench.siding.records(of: bench.issues).array()
        #expect(all.map(\.id) == [1, 2, 3, 10])
        #expect(all.first?.user == Ticket.User(login: "al"))
        #expect(all.first?.createdAt == Date(timeIntervalSince1970: 1_767_398_400))
        #expect(try await bench.siding.record(of: bench.issues, key: 3)?.isLocked == true)
        #expect(try await bench.siding.record(of: bench.issues, key: "4") == nil)
        #expect(try await bench.siding.rawRecords(of: bench.issues, limit: 1).map(\.key) == ["1"])
    }

    @Test func `the database selects, orders and cuts`() async throws {
        let bench = try await bench()
        let records = bench.siding.records(of: bench.issues)
        #expect(try await records.where(\.state == .open && \.comments > 3).array().map(\.id) == [1])
        #expect(try await records.sorted(by: \.comments, .descending).limit(2).array().map(\.id) == [3, 1])
        #expect(try await records.sorted(by: \.createdAt).array().map(\.id) == [10, 2, 3, 1])
        #expect(try await records.sorted(by: \.state).sorted(by: \.comments).offset(1).array().map(\.id) == [2, 10, 1])
        #expect(try await records.where(\.comments < 9).count() == 3)
        #expect(try await records.where(\.comments < 9).limit(2).count() == 2)
        #expect(try await records.where(\.state == nil).first?.id == 3)
        #expect(try await records.where(\.title == "none").first == nil)
    }

    /// What the database says of a predicate is what Swift says of the models.
    @Test func `a predicate means in the database the same as in Swift`() async throws {
        let bench = try await bench()
        let date = Date(timeIntervalSince1970: 1_767_312_000)
        var pairs: [(RecordPredicate<Ticket>, @Sendable (Ticket) -> Bool)] = []
        func add(_ predicate: RecordPredicate<Ticket>, _ condition: @escaping @Sendable (Ticket) -> Bool) {
            pairs.append((predicate, condition))
        }
        add(\.id == 10) { $0.id == 10 }
        add(\.state == .open) { $0.state == .open }
        add(\.state != .open) { $0.state != .open }
        add(\.state == nil) { $0.state == nil }
        add(\.state != nil) { $0.state != nil }
        add(!(\.state == .open)) { $0.state != .open }
        add(\.comments >= 5) { $0.comments >= 5 }
        add(\.comments <= 3) { $0.comments <= 3 }
        add(\.score < 2) { $0.score.map { $0 < 2 } ?? false }
        add(!(\.score < 2)) { !($0.score.map { $0 < 2 } ?? false) }
        add(\.isLocked == true) { $0.isLocked == true }
        add(\.isLocked != true) { $0.isLocked != true }
        add(\.createdAt >= date) { $0.createdAt.map { $0 >= date } ?? false }
        add(\.createdAt == date) { $0.createdAt == date }
        add(\.user?.login == "al") { $0.user?.login == "al" }
        add(.isOneOf(\.state, [.open, nil])) { $0.state != .closed }
        add(.isOneOf(\.id, [1, 3])) { [1, 3].contains($0.id) }
        add(.contains(\.title, "T")) { $0.title.contains("T") }
        add(.hasPrefix(\.title, "T")) { $0.title.hasPrefix("T") }
        add(.like(\.title, "t%")) { $0.title.lowercased().hasPrefix("t") }
        add(.isNull(\.score)) { $0.score == nil }
        add(.isNotNull(\.score)) { $0.score != nil }
        add(\.id == 1 || \.id == 2 || \.id == 3) { $0.id < 4 }
        add(\.comments > 1 && \.comments < 9 && \.title != "ten") { $0.comments == 5 }
        add((\.state == .open || \.isLocked == true) && \.comments > 3 && !(.contains(\.title, "x"))) {
            $0.comments > 3
        }
        let all = try await bench.siding.records(of: bench.issues).array()
        for (index, (predicate, condition)) in pairs.enumerated() {
            let found = try await bench.siding.records(of: bench.issues).where(predicate).array()
            #expect(found == all.filter(condition), "predicate \(index)")
        }
    }

    @Test func `a condition on the key, and an order by it, search the table by its key`() async throws {
        let bench = try await bench()
        let records = bench.siding.records(of: bench.issues)
        func plan(_ query: RecordQuery<Ticket>) async throws -> String {
            let selection = try await query.selection()
            return try await bench.store.read { snapshot in
                let table = try RecordsTable.load(1, snapshot)
                var statement = try SelectionCompiler(selection, of: table).statement(selecting: "key")
                statement.sql = "EXPLAIN QUERY PLAN \(statement.sql)"
                return try snapshot.query(statement) { $0.text(3) }.joined(separator: "; ")
            }
        }
        func searchesOnly(_ query: RecordQuery<Ticket>) async throws -> Bool {
            let plan = try await plan(query)
            return plan.contains("SEARCH siding_records_issues") && !plan.contains("SCAN siding_records_issues")
        }
        func check() async throws {
            #expect(try await searchesOnly(records.where(\.id == 3)))
            #expect(try await searchesOnly(records.where(.isOneOf(\.id, [3, 10]))))
            #expect(try await !plan(records.sorted(by: \.id, .descending).limit(2)).contains("TEMP B-TREE"))
            #expect(try await records.where(\.id > 2 && \.id <= 10).array().map(\.id) == [3, 10])
            #expect(try await records.where(\.id > 2).where(\.state == .open).array().map(\.id) == [10])
            #expect(try await records.where(.isOneOf(\.id, [3, 10])).array().map(\.id) == [3, 10])
            #expect(try await records.sorted(by: \.id, .descending).limit(2).array().map(\.id) == [10, 3])
            #expect(
                try await records.sorted(by: \.state).sorted(by: \.id, .descending).array().map(\.id) == [3, 2, 10, 1])
            #expect(try await records.where(!(\.id == 3)).array().map(\.id) == [1, 2, 10])
        }
        try await check()
        #expect(try await searchesOnly(records.where(\.id > 2 && \.id <= 10)))
        // A text among integer keys: the body of an own create may have an id of the program's.
        let table = try await bench.store.write { transaction in
            var key = "new-1"
            return try key.withUTF8 { text in
                try RecordsTable.load(1, transaction).made(
                    for: UnsafeRawBufferPointer(text), kind: nil, transaction)
            }
        }
        #expect(table.layout == .indexed)
        try await bench.store.write { transaction in
            try transaction.execute(
                """
                INSERT INTO siding_records_issues (key, body, first_seen_at, changed_at, run, revision, pending, lives_since, cause)
                VALUES ('new-1', '{"id":-7,"title":"new","comments":0}', 1, 1, 0, 9, 1, 9, 'edit')
                """)
        }
        #expect(try await searchesOnly(records.where(\.id == 3)))
        #expect(try await records.where(\.id < 2).array().map(\.id) == [1, -7])
        #expect(try await records.where(\.id == -7).count() == 1)
        #expect(try await records.where(.isOneOf(\.id, [-7, 3])).count() == 2)
        try await bench.store.write { try $0.execute("DELETE FROM siding_records_issues WHERE key = 'new-1'") }
        try await check()
    }

    @Test func `a row of hundreds of conditions is not too deep`() async throws {
        let bench = try await bench()
        var many: RecordPredicate<Ticket> = \.id == 1
        for id in 2..<402 { many = many || \.id == id }
        #expect(try await bench.siding.records(of: bench.issues).where(many).count() == 4)
        let list = RecordPredicate<Ticket>.isOneOf(\.id, Array(3..<100_000))
        #expect(try await bench.siding.records(of: bench.issues).where(list).count() == 2)
    }

    @Test func `a predicate that is nested too deeply is refused without a crash`() async throws {
        let bench = try await bench()
        var deep: RecordPredicate<Ticket> = \.id == 1
        for _ in 0..<200 { deep = !deep }
        let error = await #expect(throws: RecordError.self) {
            try await bench.siding.records(of: bench.issues).where(deep).array()
        }
        guard case .store(let store) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(store.kind == .invalidQuery)
    }

    @Test func `values are bound, with any content`() async throws {
        let bench = try await bench()
        let evil = "'; DROP TABLE siding_records; --"
        try await bench.siding.save(Ticket(id: 4, title: evil), to: bench.issues)
        let records = bench.siding.records(of: bench.issues)
        #expect(try await records.where(\.title == evil).array().map(\.id) == [4])
        #expect(try await records.where(.isOneOf(\.title, [evil, "\"]}"])).array().map(\.id) == [4])
        #expect(try await records.where(.like(\.title, "%DROP%")).array().map(\.id) == [4])
        #expect(try await records.count() == 5)
    }

    @Test func `a member that SQLite cannot reach is refused with a way out`() async throws {
        let bench = try await bench()
        let filter = RecordFilter.compare(.init(member: "a\"b"), .isEqual, .integer(1))
        let error = await #expect(throws: RecordError.self) {
            try await bench.siding.records(of: bench.issues).where(RecordPredicate(filter)).array()
        }
        #expect(error?.description.contains("compare in the program") == true)
    }

    @Test func `a filter in Swift is called for each record, and bounds count its results`() async throws {
        let bench = try await TypedBench()
        try await bench.siding.save((1...2_000).map { Ticket(id: $0, comments: $0 % 2) }, to: bench.issues)
        let odd = bench.siding.records(of: bench.issues).filter { $0.comments == 1 }
        #expect(try await odd.count() == 1_000)
        let ids = try await odd.array().map(\.id)
        #expect(try await odd.offset(2).limit(3).array().map(\.id) == Array(ids[2..<5]))
        let asked = Mutexed(0)
        let first = try await odd.filter { _ in
            asked.add(1)
            return true
        }.first
        #expect(first?.comments == 1)
        #expect(asked.value == 1)
    }

    @Test func `long results come in portions, each record once, in either order`() async throws {
        let bench = try await TypedBench()
        try await bench.siding.save((1...1_750).map { Ticket(id: $0, comments: -$0) }, to: bench.issues)
        let records = bench.siding.records(of: bench.issues)
        let keys = (1...1_750).map(String.init)
        #expect(try await records.array().map { String($0.id) } == keys)
        #expect(try await records.sorted(by: \.comments).array().map(\.id) == Array((1...1_750).reversed()))
        #expect(try await records.sorted(by: \.comments).limit(1_200).array().count == 1_200)
        #expect(try await records.limit(1_200).offset(600).array().count == 1_150)
        var streamed: [Int] = []
        for try await issue in records { streamed.append(issue.id) }
        #expect(streamed.map(String.init) == keys)
    }

    @Test func `pages have the requested size, the last one has the rest`() async throws {
        let bench = try await TypedBench()
        try await bench.siding.save((1...25).map { Ticket(id: $0) }, to: bench.issues)
        var sizes: [Int] = []
        for try await page in bench.siding.pages(of: bench.issues, size: 10) { sizes.append(page.count) }
        #expect(sizes == [10, 10, 5])
        var small: [Int] = []
        for try await page in bench.siding.pages(of: bench.issues, size: 2, where: \.id < 4) { small += page.map(\.id) }
        #expect(small == [1, 2, 3])
    }

    @Test func `a record that does not decode names type, place, resource, key and value`() async throws {
        let bench = try await TypedBench()
        try await bench.sync(
            #"[{"id":1,"title":"ok","comments":1},{"id":2,"title":"no","comments":1,"user":{"login":7}}]"#)
        let error = await #expect(throws: RecordError.self) {
            try await bench.siding.records(of: bench.issues).array()
        }
        guard case .undecodable(let record) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(record.resource == "issues" && record.key == "2" && record.type == "Ticket")
        #expect(record.codingPath == "user.login")
        #expect(record.fragment == "7")
        let missing = try await bench.undecodable(#"[{"id":1,"title":"no comments"}]"#)
        #expect(missing.problem == "the member 'comments' is missing")
        let long = try await bench.undecodable(
            #"[{"id":1,"comments":0,"title":[\#(Array(repeating: "1", count: 5_000).joined(separator: ","))]}]"#)
        #expect(long.fragment.count <= 121)
        #expect(long.description.count < 400)
    }

    @Test func `typed and untyped resources stand in one list`() async throws {
        let bench = try await TypedBench()
        bench.origin.page.set(#"[{"id":1}]"#)
        let posts = AnyResource("posts", from: bench.issues.untyped.source, at: "/posts", key: "id")
        let siding = try await Siding(
            store: .store(bench.store), resources: [bench.issues, posts], transports: bench.origin,
            environment: RuntimeEnvironment(connectivity: TestConnectivity()))
        #expect(siding.resources.map(\.name) == ["issues", "posts"])
        guard case .saved = try await siding.sync(posts) else { return #expect(Bool(false)) }
    }
}

extension TypedBench {
    fileprivate func undecodable(_ json: String) async throws -> UndecodableRecord {
        let bench = try await TypedBench()
        try await bench.sync(json)
        do { _ = try await bench.siding.records(of: bench.issues).array() } catch {
            guard case .undecodable(let record) = error else { throw error }
            return record
        }
        throw CancellationError()
    }
}

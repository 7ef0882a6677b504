// SPDX-License-Identifier: Apache-2.0
import Dispatch
import SidingChain
import SidingSQLite
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding

/// Free pages go back to the file system, and what fills the file is known.
@Suite(.timeLimit(.minutes(5))) struct SpaceTests {
    /// A store of which about `free` MiB are free, with some rows between the free pages.
    private func bench(free: Int) async throws -> FileBench {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":"a"},{"id":"b"}]"#)
        try await fill(bench.store, megabytes: free)
        try await bench.execute("DELETE FROM siding_history WHERE id % 64 <> 0")
        return bench
    }

    private func fill(_ store: Store, megabytes: Int) async throws {
        try await store.write { transaction in
            try transaction.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
                INSERT INTO siding_history (resource, key, body, pending, valid_from, valid_to, run, cause)
                SELECT (SELECT MIN(id) FROM siding_resources), 'old-' || i, hex(zeroblob(4000)), 0, 1, 1, 1, 'page' FROM n
                """, megabytes * 128)
        }
    }

    private func rows(_ bench: FileBench) async throws -> [[String?]] {
        try await bench.rows("SELECT id, key, length(body) FROM siding_history ORDER BY id")
    }

    @Test func `a new file can give its free pages back in steps, and then has none`() async throws {
        let bench = try await bench(free: 3)
        let store = try bench.store
        let (before, kept) = (try await store.space(), try await rows(bench))
        #expect(before.isIncremental && before.freePages > 300 && kept.count == 6)
        let returned = try await store.giveBackFreePages { all, left in #expect(all == before.freePages && left < all) }
        #expect(returned.bytesBefore == before.pages * 8_192 && returned.freeBytes == 0)
        #expect(returned.bytesAfter < returned.bytesBefore / 3)
        #expect(FileSystem.size(store.path) == returned.bytesAfter)
        #expect(try await rows(bench) == kept)
        #expect(try await store.check() == [])
    }

    @Test func `where a reader holds the checkpoint up, the file is not shorter yet, and that is known`() async throws {
        let bench = try await bench(free: 3)
        let store = try bench.store
        let reader = try await DatabaseReader.open(at: store.path)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let hold = DispatchSemaphore(value: 0)
        let reading = Task {
            try await reader.read { snapshot in
                _ = try snapshot.count("SELECT COUNT(*) FROM siding_history")
                start.yield()
                hold.wait()
            }
        }
        for await _ in started { break }
        let held = try await store.giveBackFreePages()
        #expect(held.isHeldUp && held.freeBytes == 0)
        #expect(FileSystem.size(store.path) > held.bytesAfter)
        hold.signal()
        try await reading.value
        let after = try await store.giveBackFreePages()
        #expect(!after.isHeldUp)
        #expect(FileSystem.size(store.path) == after.bytesAfter)
    }

    @Test func `a process that dies between two steps leaves a sound file, and another one continues`() async throws {
        var bench = try await bench(free: 3)
        let kept = try await rows(bench)
        let before = try await bench.store.space().freePages
        try await bench.store.giveBackFreePages(steps: 1)
        try await bench.bench.crash()
        let left = try await bench.store.space().freePages
        #expect(left > 0 && left < before)
        #expect(try await bench.store.check() == [])
        #expect(try await bench.store.giveBackFreePages().freeBytes == 0)
        #expect(try await rows(bench) == kept)
    }

    @Test func `a step is undone as a whole with its transaction`() async throws {
        let bench = try await bench(free: 3)
        let kept = try await rows(bench)
        let before = try await bench.store.space()
        await #expect(throws: StoreError.self) {
            try await bench.store.write { transaction in
                try transaction.giveBack(pages: 100)
                throw StoreError(.full, "no room")
            }
        }
        #expect(try await bench.store.space() == before)
        #expect(try await rows(bench) == kept)
        #expect(try await bench.store.check() == [])
    }

    /// A loaded machine may stop a thread at any time: the best of three measurements counts, and all but a few waits of it.
    @Test func `beside it another process writes, and waits no longer than a step takes`() async throws {
        var measured: [String] = []
        for _ in 1...3 {
            let waits = try await waitsOfAnother().sorted()
            let longest = waits.dropLast(1 + waits.count / 50).last
            if waits.count > 3, let longest, longest < .milliseconds(100) { return }
            measured.append("\(waits.count) waits, the longest are \(waits.suffix(5))")
        }
        Issue.record("\(measured)")
    }

    /// How long each write of another process takes while free pages are given back.
    private func waitsOfAnother() async throws -> [Duration] {
        let bench = try await bench(free: 24)
        let store = try bench.store
        let other = try await bench.provider.open(clock: bench.bench.time.clock)
        let isDone = Mutex(false)
        async let returned = {
            defer { isDone.withLock { $0 = true } }
            return try await store.giveBackFreePages()
        }()
        var waits: [Duration] = []
        repeat {
            let start = ContinuousClock.now
            try await other.write { try $0.execute("UPDATE siding_resources SET requests = requests") }
            waits.append(ContinuousClock.now - start)
            await Task.yield()
        } while !isDone.withLock { $0 }
        #expect(try await returned.freeBytes == 0)
        await other.close()
        return waits
    }

    @Test func `the end of a run gives free pages back, if they are many`() async throws {
        let bench = try await bench(free: 6)
        #expect(try await bench.store.space().freePages > 600)
        try await bench.store.endRun(try await bench.store.beginRun(command: "sync"), outcome: .saved)
        #expect(try await bench.store.space().freeBytes < 4 << 20)

        let few = try await self.bench(free: 3)
        let before = try await few.store.space().freePages
        try await few.store.endRun(try await few.store.beginRun(command: "sync"), outcome: .saved)
        #expect(try await few.store.space().freePages >= before - 10)
    }

    @Test func `a rewritten file has no free pages, and keeps its rows`() async throws {
        let bench = try await bench(free: 3)
        let kept = try await rows(bench)
        let returned = try await bench.store.rewrite()
        #expect(returned.freeBytes == 0 && returned.bytesAfter < returned.bytesBefore / 3)
        #expect(FileSystem.size(bench.path) == returned.bytesAfter)
        #expect(try await rows(bench) == kept)
        #expect(try await bench.store.check() == [])
        try await bench.commit(#"[{"id":"a"},{"id":"c"}]"#)
        #expect(try await bench.store.space().isIncremental)
    }

    // MARK: Sizes

    @Test func `the parts of a file add up to its size`() async throws {
        let bench = try await bench(free: 2)
        // What is in the WAL is not in the file yet.
        _ = try await bench.store.writer?.checkpointIfNeeded(over: 0)
        let (file, sizes) = (try await bench.store.description(), try #require(try await bench.store.sizes()))
        #expect(sizes.sizes.reduce(0) { $0 + $1.bytes } == file.bytes)
        #expect(sizes.sizes.first { $0.part == .free }?.bytes == file.freeBytes)
        #expect(sizes.sizes.contains { $0.part == .records && $0.resource == "posts" && $0.bytes >= 3 * 8_192 })
        #expect(sizes.sizes.first { $0.part == .history }.map { $0.bytes > 4 * 8_192 } == true)
        #expect(sizes.sizes.map(\.bytes) == sizes.sizes.map(\.bytes).sorted(by: >))
    }

    @Test(
        arguments: [
            ("siding_records_open issues", StoreSizes.Part.records, "open issues"),
            ("siding_records_a_b", .records, "a_b"),
            ("siding_text_12_data", .textIndex, "12"), ("siding_resources", .other, nil),
            ("siding_run_resources", .runs, nil),
            ("siding_outbox_edits", .queue, nil), ("siding_pages", .listings, nil), ("sqlite_schema", .other, nil),
        ] as [(String, StoreSizes.Part, String?)])
    func `each table belongs to a part`(table: String, part: StoreSizes.Part, resource: String?) {
        let found = StoreSizes.Part.of(table: table)
        #expect(found.part == part && found.resource.map(String.init) == resource)
    }

    @Test func `no table of the schema is forgotten: what is other is small and does not grow with time`() async throws
    {
        let bench = try await FileBench()
        let tables = try await bench.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'siding_*'")
        let others = Set(tables.compactMap { $0[0] }.filter { StoreSizes.Part.of(table: $0).part == .other })
        let small: Set = [
            "siding_resources", "siding_stored_columns", "siding_columns", "siding_fields", "siding_leases",
            "siding_sources", "siding_rate_limits", "siding_incidents",
        ]
        #expect(others.subtracting(small) == [], "give them a part")
    }
}

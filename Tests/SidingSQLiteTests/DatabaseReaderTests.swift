// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Testing

@testable import SidingSQLite

/// Reads of one process beside each other.
@Suite(.timeLimit(.minutes(5)))
struct DatabaseReaderTests {
    private let scratch = Scratch()

    private func reader() async throws -> DatabaseReader {
        let database = try await scratch.open()
        try await database.write { try $0.executeScript("CREATE TABLE t(id INTEGER PRIMARY KEY) STRICT") }
        await database.close()
        return try await DatabaseReader.open(at: scratch.database)
    }

    @Test func `a read need not wait for the end of another`() async throws {
        let reader = try await reader()
        let shortReadIsDone = DispatchSemaphore(value: 0)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let long = Task {
            try await reader.read { snapshot in
                start.yield()
                let wasOvertaken = shortReadIsDone.wait(timeout: .now() + 30) == .success
                return wasOvertaken ? try count(in: snapshot) : nil
            }
        }
        for await _ in started { break }
        let short = Task {
            defer { shortReadIsDone.signal() }
            return try await reader.read { try count(in: $0) }
        }
        #expect(try await short.value == 0)
        #expect(try await long.value == 0)
    }

    @Test func `each read sees one moment, with any writes and reads beside it`() async throws {
        let reader = try await reader()
        let database = try await scratch.open()
        let isWritten = DispatchSemaphore(value: 0)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let earlier = Task {
            try await reader.read { snapshot in
                let before = try count(in: snapshot)
                start.yield()
                isWritten.wait()
                let after = try count(in: snapshot)
                return before == 0 && after == 0
            }
        }
        for await _ in started { break }
        try await database.write { _ = try $0.execute("INSERT INTO t DEFAULT VALUES") }
        #expect(try await reader.read { try count(in: $0) } == 1)
        isWritten.signal()
        #expect(try await earlier.value)
    }

    @Test func `no more reads run at a time than there may be connections, and the others are served in order`()
        async throws
    {
        let reader = try await reader()
        let doors = (0..<DatabaseReader.limit).map { _ in DispatchSemaphore(value: 0) }
        let running = await running(reader, until: doors)
        let (served, serve) = AsyncStream.makeStream(of: Int.self)
        var later: [Task<Void, any Error>] = []
        for number in 1...3 {
            later.append(Task { try await reader.read { _ in _ = serve.yield(number) } })
            while await reader.readsInLine < number, !Task.isCancelled { await Task.yield() }
        }
        doors[0].signal()
        var order: [Int] = []
        for await number in served {
            order.append(number)
            if number == 3 { break }
        }
        #expect(order == [1, 2, 3])
        for door in doors.dropFirst() { door.signal() }
        for task in running + later { try await task.value }
    }

    /// Reads that have begun, each of which ends once its door is opened.
    private func running(
        _ reader: DatabaseReader, until doors: [DispatchSemaphore]
    ) async -> [Task<Void, any Error>] {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let reads = doors.map { door in
            Task {
                try await reader.read { _ in
                    start.yield()
                    door.wait()
                }
            }
        }
        var begun = 0
        for await _ in started {
            begun += 1
            if begun == doors.count { break }
        }
        return reads
    }

    @Test func `a read that is cancelled in line ends at once`() async throws {
        let reader = try await reader()
        let doors = (0..<DatabaseReader.limit).map { _ in DispatchSemaphore(value: 0) }
        let running = await running(reader, until: doors)
        let waiting = Task { try await reader.read { _ in } }
        while await reader.readsInLine == 0, !Task.isCancelled { await Task.yield() }
        waiting.cancel()
        await #expect { try await waiting.value } throws: { ($0 as? SQLiteError)?.kind == .cancelled }
        #expect(await reader.readsInLine == 0)
        for door in doors { door.signal() }
        for task in running { try await task.value }
        #expect(try await reader.read { try count(in: $0) } == 0)
    }

    @Test func `a read that throws leaves its connection to the next`() async throws {
        struct Stop: Error {}
        let reader = try await reader()
        for _ in 0...DatabaseReader.limit {
            await #expect(throws: Stop.self) { try await reader.read { _ in throw Stop() } }
        }
        #expect(try await reader.read { try count(in: $0) } == 0)
    }

    @Test func `closing waits for the reads before it, and refuses those after it`() async throws {
        let reader = try await reader()
        let hold = DispatchSemaphore(value: 0)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let reading = Task {
            try await reader.read { snapshot in
                start.yield()
                hold.wait()
                return try count(in: snapshot)
            }
        }
        for await _ in started { break }
        let closing = Task { await reader.close() }
        while await !reader.isClosed, !Task.isCancelled { await Task.yield() }
        let error = await failure { try await reader.read { try count(in: $0) } }
        #expect(error?.message == "it is closed")
        hold.signal()
        #expect(try await reading.value == 0)
        await closing.value
        #expect(openDescriptors(of: scratch.database) == 0)
        await reader.close()
    }

    @Test func `where no further connection can be opened, reads wait for the open ones`() async throws {
        let reader = try await reader()
        let hold = DispatchSemaphore(value: 0)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let reading = Task {
            try await reader.read { snapshot in
                start.yield()
                hold.wait()
                return try count(in: snapshot)
            }
        }
        for await _ in started { break }
        rename(scratch.database, scratch.file("elsewhere.db"))
        let waiting = Task { try await reader.read { try count(in: $0) } }
        while await reader.readsInLine == 0, !Task.isCancelled { await Task.yield() }
        hold.signal()
        #expect(try await reading.value == 0)
        #expect(try await waiting.value == 0)
        rename(scratch.file("elsewhere.db"), scratch.database)
    }
}

private func count(in snapshot: borrowing Snapshot) throws -> Int64? {
    try snapshot.first("SELECT count(*) FROM t") { $0.int(0) }
}

/// How many descriptors of this process are open on the file.
private func openDescriptors(of path: String) -> Int {
    let directory = "/proc/self/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.count { (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\($0)")) == path }
}

// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingSQLite
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding

/// The disk has room for the result of a write before the write goes out.
@Suite(.serialized) struct RoomForResultTests {
    /// A file system of a few megabytes, which a test can fill.
    private final class SmallDisk {
        let directory: TemporaryDirectory
        var path: String { directory.path }

        init?(bytes: Int) throws {
            directory = try TemporaryDirectory()
            guard mount("tmpfs", directory.path, "tmpfs", 0, "size=\(bytes),mode=700") == 0 else { return nil }
        }

        deinit { umount2(path, 2) }

        /// The free bytes.
        var free: Int {
            var status = statvfs()
            statvfs(path, &status)
            return Int(status.f_bavail) * Int(status.f_bsize)
        }

        /// Leaves this many bytes free.
        func fill(leaving bytes: Int) throws {
            let file = open("\(path)/filler", O_RDWR | O_CREAT, 0o600)
            defer { close(file) }
            try #require(posix_fallocate(file, 0, max(free - bytes, 1)) == 0)
        }

        func empty() { unlink("\(path)/filler") }
    }

    private static var canMount: Bool {
        get throws { try SmallDisk(bytes: 1 << 20) != nil }
    }

    @Test(.enabled(if: try canMount))
    func `a disk that fills while a write is under way leaves no delivered write uncertain`() async throws {
        var sent = 0
        // From nothing free to enough for all, in steps of about a page of the log.
        for left in stride(from: 0, through: 160 << 10, by: 4 << 10) {
            let disk = try #require(try SmallDisk(bytes: 16 << 20))
            let (entry, arrived) = try await attempt(on: disk, leaving: left)
            if arrived {
                sent += 1
                #expect(entry.state == .done, "with \(left) bytes free: \(entry.state) \(entry.reason?.rawValue ?? "")")
            } else {
                #expect(!entry.mayHaveArrived, "with \(left) bytes free")
            }
        }
        #expect(sent > 0)
    }

    @Test(.enabled(if: try canMount))
    func `on a disk without room for the result nothing is sent`() async throws {
        let disk = try #require(try SmallDisk(bytes: 16 << 20))
        let store = try await Store.open(at: "\(disk.path)/test.db")
        let origin = ScriptedOrigin(["/a": .status(.created)])
        let entry = try await enqueue(store)
        try disk.fill(leaving: OwnerLock.reservedSpace / 2)
        _ = try? await sender(store, origin).send(entry.id)
        #expect(origin.takeRequests().isEmpty)
        disk.empty()
        #expect(try await sender(store, origin).send(entry.id)?.state == .done)
        await store.close()
    }

    @Test(.enabled(if: try canMount))
    func `where a write was not sent, and that cannot be stored either, no message mentions an arrival`() async throws {
        var told = 0
        for left in stride(from: 0, through: 160 << 10, by: 4 << 10) {
            let disk = try #require(try SmallDisk(bytes: 16 << 20))
            let store = try await Store.open(at: "\(disk.path)/test.db")
            let origin = ScriptedOrigin(["/a": .status(.created)])
            let entry = try await enqueue(store)
            let delivery = try sender(store, origin)
            try disk.fill(leaving: left)
            do throws(StoreError) { _ = try await delivery.send(entry.id) } catch {
                #expect(!error.message.contains("may have been"), "with \(left) bytes free: \(error.message)")
                if error.message.contains("was not sent") { told += 1 }
            }
            #expect(origin.takeRequests().isEmpty, "with \(left) bytes free")
            await store.close()
        }
        #expect(told > 0)
    }

    @Test(.enabled(if: try canMount))
    func `on a disk without any space the failure of a run is stored, and that of a write on its way keeps its room`()
        async throws
    {
        let disk = try #require(try SmallDisk(bytes: 16 << 20))
        let store = try await Store.open(at: "\(disk.path)/test.db")
        let full = StoreError(.full, "no room")
        let run = try await store.beginRun(command: "sync posts")
        try disk.fill(leaving: 0)
        try await store.endResource("posts", after: full, in: run)
        try await store.endRun(run, outcome: .failed)
        let failure = try #require(try await store.failures(of: ["posts"])["posts"])
        #expect(failure.error.name == "full" && failure.error.message == "the disk was full")

        disk.empty()
        try store.owner.reserveSpace()
        #expect(!store.owner.freeSpace(upTo: OwnerLock.reservedForRun))
        #expect(store.owner.freeSpace() && !store.owner.freeSpace())
        await store.close()
    }

    @Test(.enabled(if: try canMount))
    func
        `the room of a write that has ended serves the failure of a run, and a room that is not granted leaves the old one`()
        async throws
    {
        let disk = try #require(try SmallDisk(bytes: 16 << 20))
        let store = try await Store.open(at: "\(disk.path)/test.db")
        let full = StoreError(.full, "no room")
        let run = try await store.beginRun(command: "sync posts")
        try store.owner.reserveSpace()
        store.claimedWork.add("resource:posts", 1, isLease: true)
        store.claimedWork.add("write", 1)
        try disk.fill(leaving: 0)
        await #expect(throws: StoreError.self) { try await store.endResource("posts", after: full, in: run) }
        store.claimedWork.remove("write", 1)
        try await store.endResource("posts", after: full, in: run)
        #expect(try await store.failures(of: ["posts"])["posts"]?.error.name == "full")

        disk.empty()
        try store.owner.reserveSpace(OwnerLock.reservedForRun)
        try disk.fill(leaving: OwnerLock.reservedSpace / 2)
        #expect(throws: (any Error).self) { try store.owner.reserveSpace() }
        #expect(store.owner.freeSpace(upTo: OwnerLock.reservedForRun))
        await store.close()
    }

    /// Fills the disk while the request is under way; another process goes on once there is room again.
    private func attempt(on disk: SmallDisk, leaving bytes: Int) async throws -> (entry: QueueEntry, arrived: Bool) {
        let path = "\(disk.path)/test.db"
        let store = try await Store.open(at: path)
        let entry = try await enqueue(store)
        let place = disk.path
        let origin = ScriptedOrigin(["/a": .text(String(repeating: "x", count: 30_000), status: .created)]) { _ in
            var status = statvfs()
            statvfs(place, &status)
            let file = open("\(place)/filler", O_RDWR | O_CREAT, 0o600)
            posix_fallocate(file, 0, max(Int(status.f_bavail) * Int(status.f_bsize) - bytes, 1))
            close(file)
        }
        _ = try? await sender(store, origin).send(entry.id)
        let arrived = !origin.takeRequests().isEmpty
        await store.close()
        disk.empty()
        let next = try await Store.open(at: path)
        _ = try await next.reclaim()
        let after = try #require(try await next.entries(QueueSelection(ids: [entry.id])).first)
        await next.close()
        return (after, arrived)
    }

    private func enqueue(_ store: Store) async throws -> QueueEntry {
        try await store.enqueue(WriteRequest(to: "api", .post, HTTPURL("https://api.test/a"), body: Array("{}".utf8)))
    }

    private func sender(_ store: Store, _ origin: ScriptedOrigin) throws -> WriteSender {
        WriteSender(
            store: store, sources: [Source(name: "api", baseURL: try HTTPURL("https://api.test"))], transports: origin,
            environment: RuntimeEnvironment(connectivity: TestConnectivity()))
    }
}

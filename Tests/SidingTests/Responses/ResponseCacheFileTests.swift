// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Foundation
import HTTPTypes
import SidingChain
import SidingSQLite
import SidingSynchronization
import Testing

@testable import Siding
@testable import SidingTesting

/// Which files are taken for a response cache, and what is left of one on disk.
@Suite struct ResponseCacheFileTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path(of: "responses.db")
    }

    private func refusal() async -> StoreError? {
        await #expect(throws: StoreError.self) { try await SQLiteResponseCache.open(at: path) }
    }

    private func answer(_ path: String, bytes: Int) -> CachedResponse {
        let key = ResponseCacheBench.key(path)
        let head = CachedHead(
            key: key, status: 200, headerFields: [.eTag: "1"], url: key.url, storedAt: 1_700_000_000)
        return CachedResponse(head: head, body: Array(repeating: 0x20, count: bytes))
    }

    @Test func `a new cache is a file of its owner alone, with a write-ahead log`() async throws {
        let cache = try await SQLiteResponseCache.open(at: path)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))
        await cache.close()
    }

    @Test func `a store is not taken for a cache, nor a cache for a store, and both stay as they are`() async throws {
        let store = try await Store.open(at: path)
        await store.close()
        let before = try Data(contentsOf: URL(filePath: path))
        let error = await refusal()
        #expect(error?.kind == .foreign)
        #expect(error?.message == "\(path) is not a response cache, and was left as it is")
        #expect(error?.hint == "give the cache a file of its own")
        #expect(try Data(contentsOf: URL(filePath: path)) == before)

        let other = directory.path(of: "other.db")
        await (try SQLiteResponseCache.open(at: other)).close()
        #expect(try await storeErrorKind { _ = try await Store.open(at: other) } == .foreign)
        await (try SQLiteResponseCache.open(at: other)).close()
    }

    @Test func `a file that is not a database is refused, and left as it is`() async throws {
        let text = Data(String(repeating: "these are my notes\n", count: 500).utf8)
        try text.write(to: URL(filePath: path))
        #expect(await refusal()?.kind == .foreign)
        #expect(try Data(contentsOf: URL(filePath: path)) == text)
    }

    @Test func `a database of another program is refused`() async throws {
        var configuration = DatabaseConfiguration()
        configuration.applicationID = 0x1234_5678
        let other = try await Database.open(at: path, configuration: configuration)
        try await other.write { try $0.executeScript("CREATE TABLE notes (text TEXT)") }
        await other.close()
        #expect(await refusal()?.kind == .foreign)
    }

    @Test func `a cache of a newer version is refused, and its error names the remedy`() async throws {
        let cache = try await SQLiteResponseCache.open(at: path)
        try await cache.database.write { try $0.executeScript("PRAGMA user_version = 99") }
        await cache.close()
        let error = await refusal()
        #expect(error?.kind == .newer)
        #expect(error?.hint?.hasPrefix("delete the file") == true)
    }

    @Test func `a file over the limit shrinks with the next response`() async throws {
        let large = try await SQLiteResponseCache.open(at: path)
        for number in 1...4 { try await large.store(answer("/\(number)", bytes: 1_000)) }
        await large.close()
        let small = try await SQLiteResponseCache.open(at: path, byteLimit: 3_000)
        try await small.store(answer("/5", bytes: 1_000))
        let bytes = try await small.reader.read { try $0.count("SELECT sum(bytes) FROM siding_responses") }
        #expect(bytes <= 3_000)
        #expect(try await small.head(for: CacheRequest(key: ResponseCacheBench.key("/5"))) != nil)
        await small.close()
    }

    @Test func `evicting all makes the file small`() async throws {
        let cache = try await SQLiteResponseCache.open(at: path)
        for number in 1...4 { try await cache.store(answer("/\(number)", bytes: 1 << 20)) }
        await cache.close()
        #expect(FileSystem.size(path) > 4 << 20)
        let again = try await SQLiteResponseCache.open(at: path)
        try await again.evict(to: 0)
        #expect(FileSystem.size(path) < 1 << 18)
        await again.close()
    }
}

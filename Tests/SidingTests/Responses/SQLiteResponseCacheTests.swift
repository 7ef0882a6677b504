// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingSQLite
import SidingChain
import Testing

@testable import Siding
@testable import SidingTesting

@Suite struct SQLiteResponseCacheTests {
    private let request = CacheRequest(key: ResponseCacheBench.key())

    private func answer(_ body: String = "[]", fields: HTTPFields = [.eTag: "1"]) -> CachedResponse {
        let head = CachedHead(
            key: request.key, status: 200, headerFields: fields, url: request.key.url, storedAt: 1_700_000_000)
        return CachedResponse(head: head, body: Array(body.utf8))
    }

    @Test func `a file that is opened again still answers`() async throws {
        let file = try await ResponseCacheFixture()
        let cache = file.cache
        let stored = answer("{}", fields: [.eTag: #"W/"1""#, .contentType: "application/json"])
        try await cache.store(stored)
        await cache.close()
        for _ in 1...2 {
            let again = try await SQLiteResponseCache.open(at: file.path)
            #expect(try await again.response(for: request) == stored)
            await again.close()
        }
    }

    @Test func `two caches on one file share their answers`() async throws {
        let file = try await ResponseCacheFixture()
        let cache = file.cache
        let other = try await SQLiteResponseCache.open(at: file.path)
        try await other.store(answer("{}"))
        #expect(try await cache.response(for: request)?.body == Array("{}".utf8))
        await other.close()
    }

    @Test func `validators and body are of one row, which any SQLite tool can read`() async throws {
        let file = try await ResponseCacheFixture()
        let cache = file.cache
        try await cache.store(answer("ab", fields: [.eTag: #""x""#, .lastModified: "then", .contentType: "text/a"]))
        let rows = try await file.rows(
            """
            SELECT account, method, url, variant, status, etag, last_modified, headers, typeof(body), length(body)
            FROM siding_responses
            """)
        #expect(
            rows == [
                [
                    "ann", "GET", "https://api.example.org/posts", "[]", "200", #""x""#, "then",
                    #"[["Content-Type","text/a"]]"#, "blob", "2",
                ]
            ])
    }

    @Test func `a variant of several fields is stored in the order of their names`() async throws {
        let file = try await ResponseCacheFixture()
        let cache = file.cache
        var stored = answer()
        stored.head.variant = CacheVariant(["X-C": "3", "x-a": nil, "X-b": ""])
        try await cache.store(stored)
        #expect(
            try await file.rows("SELECT variant FROM siding_responses") == [
                [#"[["x-a",null],["x-b",""],["x-c","3"]]"#]
            ])
        let fields: HTTPFields = [HTTPField.Name("X-B")!: "", HTTPField.Name("X-C")!: "3"]
        #expect(try await cache.response(for: CacheRequest(key: request.key, headerFields: fields)) == stored)
    }

    @Test func `reading writes nothing within an hour, and one stamp after it`() async throws {
        let file = try await ResponseCacheFixture()
        let cache = file.cache
        try await cache.store(answer())
        let time = file.time
        let used = "SELECT used_at FROM siding_responses"
        let first = try await file.rows(used)
        let changes = try await file.totalChanges()
        for wait in [Duration.seconds(0), .seconds(3_599)] {
            time.advance(by: wait)
            _ = try await cache.response(for: request)
            _ = try await cache.head(for: request)
        }
        #expect(try await file.totalChanges() == changes)
        time.advance(by: .seconds(1))
        for _ in 0..<3 { _ = try await cache.response(for: request) }
        #expect(try await file.totalChanges() == changes + 1)
        #expect(try await file.rows(used) != first)
    }

    @Test func `a stamp of the future is moved back by the next reader`() async throws {
        let file = try await ResponseCacheFixture()
        let cache = file.cache
        file.time.advance(by: .seconds(86_400))
        try await cache.store(answer())
        file.time.advance(by: .seconds(-86_400))
        _ = try await cache.response(for: request)
        let now = String(file.time.now.microseconds)
        #expect(try await file.rows("SELECT used_at FROM siding_responses") == [[now]])
    }

    @Test func `the newest answer is not dropped for its own sake when the clock was set back`() async throws {
        let file = try await ResponseCacheFixture(byteLimit: 3_500)
        let cache = file.cache
        for path in ["/1", "/2", "/3"] {
            var old = answer(String(repeating: "x", count: 700))
            old.head.key = ResponseCacheBench.key(path)
            try await cache.store(old)
        }
        file.time.advance(by: .seconds(-86_400))
        var new = answer(String(repeating: "y", count: 700))
        new.head.key = ResponseCacheBench.key("/new")
        try await cache.store(new)
        #expect(try await cache.head(for: CacheRequest(key: new.head.key)) != nil)
        #expect(try await file.rows("SELECT sum(bytes) <= 3500, count(*) FROM siding_responses") == [["1", "3"]])
    }

    @Test func `room is made in the transaction that stores`() async throws {
        let file = try await ResponseCacheFixture(byteLimit: 2_000)
        let cache = file.cache
        try await cache.store(answer())
        // Whatever would delete the old row now undoes the new one too.
        try await file.execute(
            """
            CREATE TEMP TRIGGER keep BEFORE DELETE ON main.siding_responses BEGIN SELECT RAISE(ABORT, 'no'); END
            """)
        var new = answer(String(repeating: "y", count: 1_500))
        new.head.key = ResponseCacheBench.key("/new")
        let large = new
        let failure = await #expect(throws: Failure.self) { try await cache.store(large) }
        #expect(failure?.reason == .notCached)
        #expect((failure?.underlying as? StoreError)?.kind == .inputOutput)
        #expect(try await file.rows("SELECT url FROM siding_responses") == [["https://api.example.org/posts"]])
    }

    @Test func `the bytes of a row are those of the answer, also after a refresh`() async throws {
        let file = try await ResponseCacheFixture()
        let cache = file.cache
        let old = answer("body", fields: [.eTag: "1", .contentType: String(repeating: #"""#, count: 500)])
        try await cache.store(old)
        #expect(try await file.rows("SELECT bytes FROM siding_responses") == [[String(old.byteCount)]])
        var head = old.head
        head.headerFields[.contentType] = ""
        #expect(try await cache.refresh(head, validated: old.head))
        let new = CachedResponse(head: head, body: old.body)
        #expect(try await file.rows("SELECT bytes FROM siding_responses") == [[String(new.byteCount)]])
    }

    @Test func `a cache that fails throws a failure that nodes understand`() async throws {
        let file = try await ResponseCacheFixture()
        let cache = file.cache
        await cache.close()
        let reading = await #expect(throws: Failure.self) { try await cache.response(for: request) }
        let writing = await #expect(throws: Failure.self) { try await cache.store(answer()) }
        for failure in [reading, writing] {
            #expect(failure?.reason == .notCached)
            #expect((failure?.underlying as? StoreError)?.kind == .closed)
        }
    }

    @Test(arguments: [
        "UPDATE siding_responses SET method = 'POST'", "UPDATE siding_responses SET variant = 'x'",
        "UPDATE siding_responses SET headers = '{'", "UPDATE siding_responses SET bytes = 1",
        "UPDATE siding_responses SET initial_age_us = -1", "UPDATE siding_responses SET body = NULL",
        "INSERT INTO siding_responses SELECT 99, account, method, url, variant, 200, etag, NULL, '[]', url, 0, 0, 0, 9, x'' FROM siding_responses",
    ])
    func `the schema refuses rows that cannot be`(_ sql: String) async throws {
        let file = try await ResponseCacheFixture()
        let cache = file.cache
        try await cache.store(answer("[1,2]"))
        await #expect(throws: SQLiteError.self) { try await file.execute(sql) }
    }
}

// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingNodes
import SidingTesting
import Testing

/// The engines behind the `ResponseCache` protocol.
enum ResponseCacheEngine: String, CaseIterable, CustomTestStringConvertible {
    case memory, sqlite

    var testDescription: String { rawValue }

    func provider() throws -> any ResponseCacheProvider {
        switch self {
        case .memory: InMemoryResponseCacheProvider()
        case .sqlite: try SQLiteResponseCacheProvider()
        }
    }
}

/// Provides a `SQLiteResponseCache` in a file of its own.
struct SQLiteResponseCacheProvider: ResponseCacheProvider {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    func open(byteLimit: Int, clock: WallClock) async throws -> any ResponseCache {
        try await SQLiteResponseCache.open(
            at: directory.path(of: "responses.db"), byteLimit: byteLimit, clock: clock)
    }
}

@Suite struct ResponseCacheConformanceTests {
    @Test(arguments: ResponseCacheConformance.laws, ResponseCacheEngine.allCases)
    func `every engine keeps every law`(_ law: ResponseCacheConformance.Law, _ engine: ResponseCacheEngine)
        async throws
    {
        try await law.check(engine.provider())
    }

    @Test func `a law has a sentence of its own for a name`() {
        let names = ResponseCacheConformance.laws.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.contains(" ") })
    }

    @Test func `a cache that breaks a law is reported`() async throws {
        var broken: [String] = []
        for law in ResponseCacheConformance.laws {
            do { try await law.check(SharingProvider()) } catch { broken.append(law.name) }
        }
        #expect(broken.contains("an answer is not given to another URL, method or account"))
        #expect(broken.count < ResponseCacheConformance.laws.count)
    }
}

/// A cache that takes all accounts for one.
private struct SharingProvider: ResponseCacheProvider {
    func open(byteLimit: Int, clock: WallClock) -> any ResponseCache {
        SharingCache(inner: InMemoryResponseCache(byteLimit: byteLimit))
    }
}

private struct SharingCache: ResponseCache {
    let inner: InMemoryResponseCache

    private func shared(_ request: CacheRequest) -> CacheRequest {
        var request = request
        request.key.account = ""
        return request
    }

    func head(for request: CacheRequest) -> CachedHead? { inner.head(for: shared(request)) }
    func response(for request: CacheRequest) -> CachedResponse? { inner.response(for: shared(request)) }

    func store(_ response: CachedResponse) -> Bool {
        var response = response
        response.head.key.account = ""
        return inner.store(response)
    }

    func refresh(_ head: CachedHead, validated: CachedHead) -> Bool { inner.refresh(head, validated: validated) }
    func remove(_ key: CacheKey) { inner.remove(key) }
    func removeAll(ofAccount account: String) { inner.removeAll(ofAccount: account) }
    func evict(to bytes: Int) { inner.evict(to: bytes) }
}

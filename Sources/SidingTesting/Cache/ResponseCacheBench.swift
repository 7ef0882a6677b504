// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Siding
internal import SidingChain

/// An empty cache with room for about ten small responses, for the check of one law.
struct ResponseCacheBench: Sendable {
    static let byteLimit = 10 * 1_024

    let time: ManualWallClock
    let cache: any ResponseCache

    init(_ provider: any ResponseCacheProvider) async throws {
        time = ManualWallClock()
        cache = try await provider.open(byteLimit: Self.byteLimit, clock: time.clock)
    }

    static func key(_ path: String = "/posts", account: String = "ann", method: String = "GET") -> CacheKey {
        CacheKey(account: account, method: method, url: "https://api.example.org\(path)")
    }

    func request(
        _ path: String = "/posts", account: String = "ann", method: String = "GET", language: String? = nil
    ) -> CacheRequest {
        var fields = HTTPFields()
        fields[.acceptLanguage] = language
        return CacheRequest(key: Self.key(path, account: account, method: method), headerFields: fields)
    }

    /// A response whose `byteCount` is at least `bytes`.
    func answer(
        _ body: String = "[]", to request: CacheRequest, etag: String? = #""1""#, variant: [String: String?] = [:],
        bytes: Int = 0
    ) -> CachedResponse {
        var fields: HTTPFields = [.contentType: "application/json"]
        fields[.eTag] = etag
        let head = CachedHead(
            key: request.key, variant: CacheVariant(variant), status: 200, headerFields: fields, url: request.key.url,
            storedAt: time.now.secondsSince1970)
        let small = CachedResponse(head: head, body: Array(body.utf8))
        let padding = [UInt8](repeating: 0x20, count: max(bytes - small.byteCount, 0))
        return CachedResponse(head: head, body: small.body + padding)
    }

    @discardableResult
    func store(
        _ body: String = "[]", to request: CacheRequest, etag: String? = #""1""#, variant: [String: String?] = [:],
        bytes: Int = 0
    ) async throws -> CachedResponse {
        let answer = answer(body, to: request, etag: etag, variant: variant, bytes: bytes)
        try await require(cache.store(answer), "\(request.key.url) was not stored")
        return answer
    }

    /// The stored body as text; nil if nothing is stored.
    func body(_ request: CacheRequest) async throws -> String? {
        try await cache.response(for: request).map { String(decoding: $0.body, as: UTF8.self) }
    }

    /// Those of the paths that still have a response; this does not count as a use.
    func kept(_ paths: [String]) async throws -> [String] {
        var kept: [String] = []
        for path in paths where try await cache.head(for: request(path)) != nil { kept.append(path) }
        return kept
    }

    /// Advances the clock far enough that the next use is recorded.
    func later() {
        time.advance(by: .seconds(7_200))
    }
}

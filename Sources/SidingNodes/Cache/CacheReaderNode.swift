// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
public import SidingChain

/// Returns responses from the cache only.
///
/// It takes the sender's place in the cache track of a cache policy: after the nodes that make the request, before those that
/// read the response. Leave nodes that fetch credentials out of that track: credentials are not part of the key, and nothing
/// there may need the network.
public struct CacheReaderNode: Node {
    private let cache: any ResponseCache
    private let keying: CacheKeying
    private let wallClock: WallClock

    /// - Parameters:
    ///   - cache: the stored responses.
    ///   - keying: the same as that of the ``ETagNode`` which fills the cache.
    ///   - wallClock: computes the age of responses; the system's by default.
    public init(
        _ cache: any ResponseCache, keying: CacheKeying, wallClock: WallClock = .system
    ) {
        self.cache = cache
        self.keying = keying
        self.wallClock = wallClock
    }

    /// - Throws: `Failure.Reason.notCached` if nothing is stored for the request, or nothing may be stored.
    public func process(_ input: OutgoingRequest, _ context: ChainContext) async throws(Failure) -> Reply {
        do throws(Failure) {
            let request = try keying.request(input.request)
            guard let stored = try await cache.response(for: request) else {
                throw Failure(.notCached, phase: .notSent)
            }
            return stored.reply(from: try url(of: stored, input.request), source: source(of: stored, input.request))
        } catch {
            throw error.at(node: name, method: input.request.method.rawValue, url: input.shownURL)
        }
    }

    /// The request's URL as the caller wrote it, unless a redirect led elsewhere.
    private func url(of stored: CachedResponse, _ request: HTTPRequest) throws(Failure) -> HTTPURL {
        stored.head.url == stored.head.key.url ? try request.checkedURL() : try HTTPURL(stored.head.url)
    }

    /// For a request with `no-cache`, no stored response is fresh.
    private func source(of stored: CachedResponse, _ request: HTTPRequest) -> ResponseSource {
        let source = stored.head.source(now: wallClock.now.secondsSince1970)
        guard case .cache(let age, let storedAt, true) = source, CacheControl(request.headerFields).demandsValidation
        else { return source }
        return .cache(age: age, storedAt: storedAt, isFresh: false)
    }
}

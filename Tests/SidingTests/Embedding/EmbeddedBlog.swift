// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting

@testable import Siding

/// A program with the posts of a blog, over a scripted origin; its clocks stand still until a test moves them.
struct EmbeddedBlog {
    let origin: ScriptedOrigin
    let clock = ManualClock()
    let time: ManualWallClock
    let source: Source
    let posts: AnyResource
    let siding: Siding

    /// - Parameter path: the file, where it is to be shared; else one of its own.
    init(
        _ origin: ScriptedOrigin = .posts(), at path: String? = nil, time: ManualWallClock = ManualWallClock()
    ) async throws {
        (self.origin, self.time) = (origin, time)
        source = Source(name: "blog", baseURL: try HTTPURL("https://example.com"), retry: RetryPolicy(retries: 0))
        var posts = AnyResource("posts", from: source, at: "/posts", key: "id")
        posts.maxAge = .seconds(60)
        self.posts = posts
        let location: Siding.Location
        if let path {
            location = .sqlite(path: path)
        } else {
            location = .store(try await .temporary(clock: time.clock))
        }
        siding = try await Siding(
            store: location, resources: [posts], transports: origin,
            environment: RuntimeEnvironment(connectivity: TestConnectivity(), clock: clock, wallClock: time.clock))
    }

    func write(_ path: String = "/orders") throws -> WriteRequest {
        WriteRequest(
            to: source.name, .post, try HTTPURL("https://example.com\(path)"), body: Array("{}".utf8),
            idempotency: Idempotency())
    }

    func keys() async throws -> [String] { try await siding.rawRecords(of: posts).map(\.key) }
}

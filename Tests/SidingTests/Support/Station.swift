// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// One of the stations that share an origin with forty posts and five comments for each.
struct Station {
    static let posts = 1...40

    let bench: EngineBench
    var comments: AnyResource
    var more: [AnyResource] = []

    var origin: ScriptedOrigin { bench.origin }

    static func origin(
        hold: @escaping @Sendable (String) async -> Void = { _ in }
    ) -> ScriptedOrigin {
        let origin = ScriptedOrigin(hold: hold)
        origin.set("/posts", ScriptedOrigin.page("[\(posts.map(String.init).joined(separator: ","))]"))
        for post in posts { origin.set(target(post), page(post)) }
        return origin
    }

    init(_ origin: ScriptedOrigin, _ deletions: Deletions = Deletions()) async throws {
        bench = try await EngineBench(origin)
        comments = bench.resource
        (comments.name, comments.path, comments.deletions) = ("comments", "/posts/{post}/comments", deletions)
        comments.forEach = ForEach("posts", bind: ["post": JSONPath(member: "id")], concurrency: 3)
    }

    // MARK: What the origin has

    static func target(_ post: Int) -> String { "/posts/\(post)/comments" }

    static func targets(_ posts: some Sequence<Int>) -> [String] { posts.map(target).sorted() }

    /// The keys of the comments.
    static func comments(of posts: some Sequence<Int>) -> [Int] { posts.flatMap { ($0 * 10)..<($0 * 10 + 5) } }

    static func page(_ post: Int) -> ScriptedAnswer {
        ScriptedOrigin.page("[\(comments(of: [post]).map(String.init).joined(separator: ","))]")
    }

    /// The posts whose comments a shard fetches.
    static func own(_ shard: String?) -> [Int] {
        posts.filter { shard.flatMap(Shard.init)?.owns(parent: "\($0)", of: "comments") ?? true }
    }

    // MARK: Syncs

    static var accepting: SyncOptions {
        var options = SyncOptions()
        options.acceptsDeletes = true
        return options
    }

    /// Syncs all resources as this shard, a minute after the last sync.
    @discardableResult
    func run(_ shard: String?, _ options: SyncOptions = SyncOptions()) async throws -> [SyncReport] {
        bench.time.advance(by: .seconds(60))
        let all = [bench.resource, comments] + more
        let engine = bench.engine().sharing(try shard.map { try #require(Shard($0)) }, of: all)
        return try await engine.run(all, options: options)
    }

    /// The report of the comments.
    @discardableResult
    func sync(_ shard: String?, _ options: SyncOptions = SyncOptions()) async throws -> SyncReport {
        try #require(try await run(shard, options).first { $0.result.resource == "comments" })
    }

    /// The targets since the last look, without those of the posts.
    func asked() -> [String] { origin.takeTargets().filter { $0 != "/posts" }.sorted() }

    /// The keys of the live comments, or of the deleted ones.
    func keys(deleted: Bool = false) async throws -> [Int] {
        try await bench.store.records(of: "comments", after: nil, limit: 999, deleted: deleted)
            .compactMap { Int($0.key) }.sorted()
    }
}

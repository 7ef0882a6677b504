// SPDX-License-Identifier: Apache-2.0
import SidingChain
import Testing

@testable import Siding

/// Which part of the fetching a station has.
@Suite struct ShardTests {
    private static let names = (1...5_000).map { "comments/\($0)" }

    private static func shards(_ count: Int) -> [Shard] { (1...count).compactMap { Shard(index: $0, count: count) } }

    @Test(arguments: [("1/1", 1, 1), ("2/4", 2, 4), ("04/4", 4, 4), ("10000/10000", 10_000, 10_000)])
    func `a text is read as index and count`(_ text: String, _ index: Int, _ count: Int) throws {
        let shard = try #require(Shard(text))
        #expect(shard.index == index && shard.count == count)
        #expect(shard.description == "\(index)/\(count)")
    }

    @Test(
        arguments: [
            "", "4", "0/4", "5/4", "1/0", "0/0", "-1/4", "+1/4", "1/-4", " 1/4", "1/4 ", "1 / 4", "1/4/4", "a/b", "1/",
            "/4", "1/10001", "99999999999999999999/4", "١/٤", "1/4\n",
        ])
    func `any other text is no shard`(_ text: String) {
        #expect(Shard(text) == nil)
    }

    @Test(arguments: 1...16) func `each name belongs to exactly one shard, and each shard has its part`(_ count: Int) {
        var sizes: [Int: Int] = [:]
        for name in Self.names { sizes[Shard(index: 1, count: count)?.owner(of: name) ?? 0, default: 0] += 1 }
        #expect(sizes.keys.sorted() == Array(1...count))
        let fair = Double(Self.names.count) / Double(count)
        #expect(sizes.values.allSatisfy { (fair * 0.75...fair * 1.25).contains(Double($0)) }, "\(sizes)")
        // Every shard finds the same owner.
        for shard in Self.shards(count) {
            let own = (1...200).filter { shard.owns(parent: "\($0)", of: "comments") }
            #expect(own == (1...200).filter { Self.shards(count)[0].owner(of: "comments/\($0)") == shard.index })
        }
    }

    @Test(arguments: 1...15) func `one more shard takes its part of the names, and no other one moves`(
        _ count: Int
    ) throws {
        let (before, after) = (try #require(Self.shards(count).first), try #require(Self.shards(count + 1).first))
        let moved = Self.names.filter { before.owner(of: $0) != after.owner(of: $0) }
        #expect(moved.allSatisfy { after.owner(of: $0) == count + 1 })
        let fair = Double(Self.names.count) / Double(count + 1)
        #expect((fair * 0.8...fair * 1.2).contains(Double(moved.count)), "\(moved.count)")
    }

    @Test(
        arguments: [
            ("issues", [2, 3, 3, 3, 861]), ("posts", [2, 3, 5, 13, 333]), ("comments/1", [2, 4, 4, 9, 999]),
            ("comments/k42", [2, 2, 2, 13, 485]), ("comments/é", [2, 3, 3, 8, 442]), ("comments/", [2, 2, 2, 2, 489]),
        ])
    func `no release changes who owns a name`(_ name: String, _ owners: [Int]) {
        #expect([2, 4, 5, 16, 1_000].map { Shard(index: 1, count: $0)?.owner(of: name) } == owners)
    }

    @Test func `a listing belongs to one shard, a parent resource to all, and a fan-out is divided`() throws {
        let source = try Source(baseURL: "https://api.example.org")
        let posts = AnyResource("posts", from: source, at: "/posts", key: "id")
        var comments = AnyResource("comments", from: source, at: "/comments", key: "id")
        var reactions = AnyResource("reactions", from: source, at: "/reactions", key: "id")
        let plain = [posts, comments, reactions]
        for resource in plain {
            #expect(Self.shards(4).count { $0.fetches(resource, among: plain) } == 1)
            #expect(Self.shards(4).allSatisfy { $0.dividing(resource, among: plain) == nil })
        }
        comments.forEach = ForEach("posts", bind: [:])
        reactions.forEach = ForEach("comments", bind: [:])
        let all = [posts, comments, reactions]
        for shard in Self.shards(4) {
            #expect(all.allSatisfy { shard.fetches($0, among: all) })
            #expect(all.map { shard.dividing($0, among: all) } == [nil, nil, shard])
        }
    }
}

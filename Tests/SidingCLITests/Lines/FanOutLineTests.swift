// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing
import TestSupport

/// A listing, and one listing for each of its records, over a line that fails at random, by clients that are killed.
@Suite(.serialized)
struct FanOutLineTests {
    private static let parents = Proof.choose(short: 20, middle: 60, long: 500)
    private static let concurrency = 4

    /// Posts at `/posts`, and for each a listing of comments with one to three pages.
    private struct Blog: OriginRoute {
        private let posts: Dataset
        private let listing: RecordListing
        private var comments: [Dataset.Record] = []
        private var listings: [String: RecordListing] = [:]
        /// The target of the page that shows a comment.
        private var targets: [String: String] = [:]

        init() {
            let (parents, size, filler) = (FanOutLineTests.parents, 2, String(repeating: "x", count: 600))
            posts = .filled(parents, size: 200)
            listing = RecordListing("/posts", of: posts, pageSize: parents / 10, validators: [.etag])
            for post in 1...parents {
                let path = "/posts/\(post)/comments"
                let records = (0..<size * (post % 3 + 1)).map { number in
                    Dataset.Record(key: "\(post)-\(number)", json: #"{"id":"\#(post)-\#(number)","text":"\#(filler)"}"#)
                }
                for (number, record) in records.enumerated() {
                    targets[record.key] = Self.target(path, of: number, size)
                }
                listings[path] = RecordListing(path, of: Dataset(records), pageSize: size, validators: [.etag])
                comments += records
            }
        }

        func answer(_ request: OriginRequest) async -> OriginResponse? {
            await (listings[request.path] ?? listing).answer(request)
        }

        private static func target(_ path: String, of number: Int, _ size: Int) -> String {
            number < size ? path : "\(path)?page=\(number / size + 1)"
        }

        var parts: [Part] {
            let size = FanOutLineTests.parents / 10
            let places = posts.records.enumerated().map { ($1.key, Self.target("/posts", of: $0, size)) }
            return [
                Part(
                    resource: "posts", records: posts, targets: Dictionary(uniqueKeysWithValues: places), inFlight: 1,
                    page: size * 200 + 300, upFor: 4),
                Part(
                    resource: "comments", records: Dataset(comments), targets: targets,
                    inFlight: FanOutLineTests.concurrency, page: 2 * 640 + 300, upFor: 20),
            ]
        }
    }

    /// A resource that is copied.
    private struct Part {
        let resource: String
        let records: Dataset
        /// The target of the page that shows a record, by its key.
        let targets: [String: String]
        /// How many pages are under way at a time.
        let inFlight: Int
        /// The bytes of a page, about, and for how many of them the line is up at most.
        let page: Int
        let upFor: Int

        /// The targets of the pages that are stored; none before there is a table.
        func saved(_ sandbox: Sandbox) async throws -> Set<String> {
            let found = try await sandbox.run(
                "/usr/bin/sqlite3",
                ["-batch", "-readonly", sandbox.file("test.db"), "SELECT key FROM siding_records_\(resource)"])
            return Set(found.lines.compactMap { targets[String($0)] })
        }
    }

    private struct Line {
        let blog = Blog()
        let kills = KillSwitch()
        let origin: Origin
        let relay: Relay
        let sandbox: Sandbox

        init() async throws {
            let (blog, kills) = (self.blog, self.kills)
            origin = try await Origin.start(compresses: false) { request in
                await kills.hear()
                return await blog.answer(request) ?? .notFound
            }
            relay = try await Relay.start(to: origin.url)
            sandbox = try Sandbox()
            try sandbox.config(
                """
                version: 1
                database: { path: test.db }
                sources:
                  blog:
                    base_url: \(relay.url.origin)
                    http: { idle_timeout: 300ms, connect_timeout: 300ms }
                    retry: { inline: 0, base: 1ms, cap: 1ms }
                resources:
                  posts: { path: /posts, key: id, paginate: link_header }
                  comments:
                    for_each: { resource: posts, bind: { id: $.id }, concurrency: \(FanOutLineTests.concurrency) }
                    path: "/posts/{id}/comments"
                    key: id
                    paginate: link_header
                """)
        }

        func end() async {
            await relay.stop()
            await origin.stop()
        }
    }

    @Test(arguments: 1...UInt64(Proof.choose(short: 1, middle: 2, long: 5)))
    func `all listings are complete in the end, and no saved page is requested again`(seed: UInt64) async throws {
        let line = try await Line()
        for part in line.blog.parts { try await copy(part, over: line, seed: 40_000 + seed) }
        #expect(try await line.sandbox.siding("queue", "list", "--json").output == "", "seed \(seed)")
        await line.end()
    }

    /// Syncs one resource until it is complete, each time in a process of its own.
    private func copy(_ part: Part, over line: Line, seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var lines = LineSchedule(seed: seed, up: part.page * 12 / 10...part.page * part.upFor, down: .zero ... .zero)
        var (runs, killed, lost, isComplete) = (0, 0, 0, false)
        var askedAgain: [String] = []
        var known: Set<String> = []
        while !isComplete, runs < Self.parents * 2 {
            runs += 1
            let stages = [lines.next(), lines.next()].compactMap(\.self)
            line.origin.forgetRequests()
            await line.relay.follow(stages.map { LineStage($0.state, for: $0.isUp ? $0.span : .time(.seconds(600))) })
            let child = Promise<Child>()
            if Int.random(in: 1...10, using: &generator) == 1 {
                line.kills.arm(at: Int.random(in: 1...5 * part.inFlight, using: &generator), of: child)
            }
            let ended = try await line.sandbox.siding(["sync", part.resource], limit: .seconds(180)) {
                child.fulfil($0)
            }
            line.kills.disarm()
            // What a silent line still holds is lost; it would arrive in the next run.
            await line.relay.set(.down(.reset))
            #expect([0, 75, 137].contains(ended.status), "seed \(seed), run \(runs): \(ended.everything)")
            let asked = line.origin.requests.map(\.target)
            askedAgain += known.intersection(asked).map { "\($0) in run \(runs)" }.sorted()
            let now = try await part.saved(line.sandbox)
            lost += asked.count { !known.contains($0) } - (now.count - known.count)
            killed += ended.status == 137 ? 1 : 0
            (known, isComplete) = (now, ended.status == 0)
        }
        await line.relay.set(.up())
        print("\(part.resource): \(runs) runs, \(killed) of them killed, \(lost) pages lost in flight")
        #expect(isComplete, "seed \(seed): \(part.resource) is not complete after \(runs) runs")
        #expect(askedAgain.isEmpty, "seed \(seed): \(askedAgain.count) saved pages: \(askedAgain.prefix(5))")
        // At a cut, each listing under way loses the page that it waits for; at a kill also the one that it saves.
        #expect(lost <= part.inFlight * (runs + killed), "seed \(seed): \(lost) in \(runs) runs, \(killed) killed")
        let differences = try await line.sandbox.differences(from: part.records, part.resource)
        #expect(differences == [], "seed \(seed): \(part.resource)")
    }
}

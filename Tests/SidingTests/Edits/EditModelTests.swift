// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingOrigin
import SidingSynchronization
import Testing
import TestSupport

@testable import Siding
@testable import SidingTesting

@Suite struct EditModelTests {
    private static let seeds = Proof.choose(short: 20, middle: 70, long: 6_400)

    /// Whatever is edited, pulled, delivered, refused, merged and dropped, in whatever order: what shows is what the model
    /// says, after every step; and when nothing is left to send, what shows is what the origin is known to have.
    @Test(arguments: 0..<10) func `random edits, incoming changes, answers and drops agree with a model`(
        tenth: Int
    ) async throws {
        let count = Self.seeds / 10
        for seed in (tenth * count)..<((tenth + 1) * count) {
            var run = try await EditRun(seed: UInt64(seed))
            try await run.play(steps: 30)
        }
    }
}

/// One random history of a store and its model side by side.
private struct EditRun {
    let seed: UInt64
    let bench: EditBench
    var generator: SeededGenerator
    var model = EditModel()
    var origin = ModelOrigin()
    var inHand: [String: ClaimedWrite] = [:]
    var history: [String] = []

    init(seed: UInt64) async throws {
        self.seed = seed
        bench = try await EditBench()
        generator = SeededGenerator(seed: seed)
    }

    mutating func play(steps: Int) async throws {
        for key in ["a", "b", "c"] { origin.records[key] = ["n": 0, "m": 1] }
        try await pull()
        for _ in 0..<steps {
            try await step()
            guard try await isAsModelled() else { return }
        }
        try await bench.expectSound()
        try await drainAll()
    }

    private mutating func step() async throws {
        switch Int.random(in: 0..<16, using: &generator) {
        case 0..<6: try await edit()
        case 6: try await create()
        case 7, 8: try await pull()
        case 9, 10: try await claim()
        case 11, 12: try await recordResult(refuses: false)
        case 13: try await recordResult(refuses: Bool.random(using: &generator))
        case 14: try await drop()
        default: try await change()
        }
    }

    // MARK: The user

    private mutating func edit() async throws {
        // A record whose create was dropped will never be: the store takes nothing more for it.
        let temporary = model.edits.filter { $0.steps.first == .whole(["c": 1]) }.map(\.key)
        guard let key = (["a", "b", "c", "p1", "p2", "unknown"] + temporary).randomElement(using: &generator) else {
            return
        }
        let coalesces = Bool.random(using: &generator)
        let name = ["n", "m", "x"].randomElement(using: &generator) ?? "n"
        let value = Bool.random(using: &generator) ? Int.random(in: 0..<99, using: &generator) : nil
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: try await accept(.delete, key, .gone, nil, coalesces)
        case 1:
            try await accept(.replace, key, .whole(["r": 7]), ModelOrigin.json(key, ["r": 7]), coalesces)
        default:
            let members = [name: value]
            try await accept(.merge, key, .members(members), ModelOrigin.json(nil, members), coalesces)
        }
    }

    private mutating func create() async throws {
        try await accept(.create, nil, .whole(["c": 1]), ModelOrigin.json(nil, ["c": 1]), true)
    }

    private mutating func accept(
        _ change: WriteEdit.Change, _ key: String?, _ step: EditModel.Step, _ body: String?, _ coalesces: Bool
    ) async throws {
        let entry = try await bench.edit(change, key, body) { edit in
            (edit.coalesces, edit.conflict) = (coalesces, .mine)
        }
        history.append("\(change) \(entry.recordKey ?? "") \(body ?? "") -> \(entry.shortID) \(entry.state)")
        if entry.state == .dropped {
            model.edits.removeAll { $0.key == entry.recordKey && $0.steps.first == .whole(["c": 1]) }
        } else {
            model.accept(step, key: try #require(entry.recordKey), entry: entry.id)
        }
    }

    private mutating func drop() async throws {
        guard let entry = try await bench.waiting().randomElement(using: &generator), inHand[entry.id] == nil else {
            return
        }
        history.append("drop \(entry.shortID)")
        try await bench.drop(entry)
        model.drop(entry.id)
    }

    /// A person writes the body anew.
    private mutating func change() async throws {
        guard let entry = try await bench.waiting().randomElement(using: &generator), inHand[entry.id] == nil,
            let index = model.edits.firstIndex(where: { $0.entry == entry.id }), entry.method == "PATCH"
        else { return }
        let members = ["e": Int.random(in: 0..<9, using: &generator)]
        let change = WriteChange(body: Array(ModelOrigin.json(nil, members).utf8), releases: true)
        let new = try await bench.store.replace(entry.id, with: change)
        history.append("change \(entry.shortID) -> \(new.shortID)")
        model.edits[index].entry = new.id
        model.edits[index].steps = [.members(members)]
    }

    // MARK: The origin

    private mutating func pull() async throws {
        let changed = ["a", "b", "c"].randomElement(using: &generator) ?? "a"
        if origin.records[changed] != nil { origin.records[changed]?["n"] = Int.random(in: 0..<9, using: &generator) }
        let keys = origin.records.keys.sorted().filter { _ in Int.random(in: 0..<4, using: &generator) > 0 }
        let page = keys.map { ModelOrigin.json($0, origin.records[$0] ?? [:]) }
        history.append("pull \(page)")
        try await bench.pull("[\(page.joined(separator: ","))]")
        for key in keys { model.pull(key, origin.records[key] ?? [:]) }
    }

    private mutating func claim() async throws {
        guard let write = try await bench.claim() else { return }
        history.append("claim \(write.entry.shortID) \(write.method) \(write.url.path)")
        inHand[write.entry.id] = write
    }

    private mutating func recordResult(refuses: Bool) async throws {
        guard let id = inHand.keys.sorted().randomElement(using: &generator), let write = inHand[id] else { return }
        try await recordResult(write, refuses: refuses)
    }

    private mutating func recordResult(_ write: ClaimedWrite, refuses: Bool) async throws {
        inHand[write.entry.id] = nil
        let method = write.method.rawValue
        guard !refuses, let done = try origin.act(method, write.url.path, write.body) else {
            history.append("refuse \(write.entry.shortID)")
            try await bench.recordResult(write, .parked(.rejected))
            return
        }
        // A create has to say the id; others may say nothing.
        let tells = done.fields != nil && (method == "POST" || Bool.random(using: &generator))
        let answer = tells ? ModelOrigin.json(done.key, done.fields ?? [:]) : ""
        history.append("deliver \(write.entry.shortID) \(answer)")
        try await bench.recordResult(write, .answered(answer))
        model.deliver(
            write.entry.id, answer: tells ? done.fields : nil, realKey: method == "POST" ? done.key : nil)
    }

    // MARK: Looking

    private func isAsModelled() async throws -> Bool {
        var shown: [String: EditModel.Shown] = [:]
        for record in try await bench.store.records(of: "posts", after: nil, limit: 99, deleted: false) {
            let fields = try ModelOrigin.members(record.body).compactMapValues { $0 }
            shown[record.key] = EditModel.Shown(fields: fields, pending: record.pending)
        }
        let expected = model.shown
        let bases = Set(try await bench.bases().compactMap { $0.first ?? nil })
        let isSame = shown == expected && bases == Set(model.edits.map(\.key))
        if !isSame {
            Issue.record(
                """
                seed \(seed): shown \(shown)
                expected \(expected)
                bases \(bases), edits \(model.edits.map(\.key))
                \(history.joined(separator: "\n"))
                """)
        }
        return isSame
    }

    /// Everything is delivered, or dropped where it cannot be.
    private mutating func drainAll() async throws {
        for write in inHand.values.sorted(by: { $0.entry.id < $1.entry.id }) {
            try await recordResult(write, refuses: false)
        }
        while true {
            while let write = try await bench.claim() {
                try await recordResult(write, refuses: false)
                guard try await isAsModelled() else { return }
            }
            guard let stuck = try await bench.waiting().first else { break }
            history.append("drop \(stuck.shortID)")
            try await bench.drop(stuck)
            model.drop(stuck.id)
            guard try await isAsModelled() else { return }
        }
        #expect(try await bench.bases().isEmpty)
        #expect(try await bench.sqlite.rows("SELECT key FROM siding_records_posts WHERE pending <> 0").isEmpty)
        try await bench.expectSound()
        await bench.store.close()
    }
}

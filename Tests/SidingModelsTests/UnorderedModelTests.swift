// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingTesting
import Testing

@testable import Siding
@testable import SidingModels

/// Models with sets and dictionaries, whose elements are in another order in each value.
@Suite(.timeLimit(.minutes(5))) struct UnorderedModelTests {
    enum Color: String, Codable, Sendable { case red, green, blue, white, black }

    struct Part: Codable, Sendable, Hashable {
        var marks: Set<Int>
    }

    struct Item: Codable, Sendable, Equatable {
        var id: Int
        var labels: Set<String>
        var colors: [Color: Int]
        var stock: [String: Set<Color>]
        var parts: [Part]
        var times: Set<Date>?
        var price: Decimal
        var link: URL
        var data: Data
        var numbers: [Int: Set<String>]
    }

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Values of all kinds beside a set that is seen only in the type.
    struct Plain: Codable, Sendable, Equatable {
        struct Tags: Codable, Sendable, Equatable {
            var all: Set<String>

            init(_ all: Set<String>) { self.all = all }
            init(from decoder: any Decoder) throws { all = try decoder.singleValueContainer().decode(Set<String>.self) }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(all)
            }
        }

        enum Shape: Codable, Sendable, Equatable {
            case dot
            case circle(radius: Double, label: String?)
        }

        var id = 1
        var color = Color.red
        var at = Date(timeIntervalSince1970: 7)
        var names = ["b": 1.5, "a": 2]
        var flags: [Bool?] = [true, nil]
        var small: [UInt8] = [1, 2, 255]
        var large: UInt64 = .max
        var signed: [Int16] = [-3]
        var word: UInt = 8
        var wide: Int128 = -170_141_183_460_469_231_731_687_303_715_884_105_728
        var broad: UInt128 = 340_282_366_920_938_463_463_374_607_431_768_211_455
        var single: Float = 1.5
        var shapes: [Shape] = [.dot, .circle(radius: 2, label: nil)]
        var nested: [[Int?]]? = [[1, nil], []]
        var none: String?
        var stock: [Color: Int] = [:]
        var empty: [String: Int] = [:]
        var tags: [Tags] = []
    }

    private static let names = (1...40).map { "label \($0)" }

    /// The same value in each call, built in another order.
    private static func item(_ step: Int = 1) -> Item {
        let labels = stride(from: 0, to: 40, by: 1).map { names[($0 * step) % 40] }
        let colors: [Color] =
            step == 1 ? [.red, .green, .blue, .white, .black] : [.black, .white, .blue, .green, .red]
        let marks = step == 1 ? Array(1...30) : (1...30).reversed()
        return Item(
            id: 1, labels: Set(labels),
            colors: Dictionary(uniqueKeysWithValues: colors.map { ($0, $0.rawValue.count) }),
            stock: ["in_store": Set(colors), "inTransit": [.red]],
            parts: [Part(marks: Set(marks)), Part(marks: [9, 8, 7])],
            times: Set(marks.map { Date(timeIntervalSince1970: Double($0)) }), price: Decimal(string: "1.10") ?? 0,
            link: URL(filePath: "/a"), data: Data([1, 2, 3]), numbers: [7: Set(labels), 8: []])
    }

    private func program(
        coding: RecordCoding = .standard
    ) async throws -> (siding: Siding, items: Resource<Item>, origin: ScriptedIssues) {
        let origin = ScriptedIssues()
        let items = try Resource<Item>(
            "items", from: try Source(baseURL: "https://example.com"), at: "/items", key: "id", coding: coding)
        let siding = try await Siding(
            store: .sqlite(path: directory.path(of: "items.db")), resources: [items], transports: origin,
            environment: RuntimeEnvironment(connectivity: TestConnectivity()))
        return (siding, items, origin)
    }

    @Test(arguments: [RecordCoding.standard, RecordCoding(usesSnakeCase: true)])
    func `a model that is equal is unchanged, in whatever order its sets are`(coding: RecordCoding) async throws {
        let (siding, items, _) = try await program(coding: coding)
        #expect(try await siding.save([Self.item()], to: items) == [.inserted])
        for step in [1, 3, 7, 11, 13] {
            #expect(try await siding.save([Self.item(step)], to: items) == [.unchanged])
        }
        let read = try await siding.records(of: items).array()
        #expect(read == [Self.item()])
        #expect(try await siding.save(read, to: items) == [.unchanged])
        var other = Self.item()
        other.labels.remove("label 7")
        #expect(try await siding.save([other], to: items) == [.updated])
        other.parts.reverse()
        #expect(try await siding.save([other], to: items) == [.updated], "an array has an order")
    }

    @Test func `its values are written as they are without sets`() async throws {
        let (siding, items, _) = try await program()
        _ = try await siding.save([Self.item()], to: items)
        let body = try #require(try await siding.rawRecord(of: items, key: "1")?.body)
        let text = String(decoding: body, as: UTF8.self)
        for part in [
            #""price":1.1"#, #""link":"file:///a""#, #""data":"AQID""#, #""inTransit":["red"]"#, #""in_store":["#,
            #""8":[]"#,
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
    }

    @Test(arguments: [false, true])
    func `values of any kind are encoded as without an order of sets`(usesSnakeCase: Bool) throws {
        let coding = RecordCoding(usesSnakeCase: usesSnakeCase)
        let (ordered, plain) = (
            try coding.encoder().encode(OrderedValue(Plain())), try coding.encoder().encode(Plain())
        )
        #expect(ordered == plain, "\(String(decoding: ordered, as: UTF8.self))")
        #expect(try coding.decoder().decode(Plain.self, from: ordered) == Plain())
    }

    @Test func `a set is found in the type, wherever it is`() async throws {
        let source = try Source(baseURL: "https://example.com")
        let plains = try Resource<Plain>("plains", from: source, at: "/plains", key: "id")
        let siding = try await Siding(
            store: .sqlite(path: directory.path(of: "plains.db")), resources: [plains], transports: ScriptedIssues(),
            environment: RuntimeEnvironment(connectivity: TestConnectivity()))
        var plain = Plain()
        plain.tags = [Plain.Tags(Set(Self.names))]
        #expect(try await siding.save([plain], to: plains) == [.inserted])
        for step in [3, 7, 11] {
            plain.tags = [Plain.Tags(Self.item(step).labels)]
            #expect(try await siding.save([plain], to: plains) == [.unchanged])
        }
        #expect(try await siding.records(of: plains).array() == [plain])
    }

    @Test func `a sync after a save of what it fetched rewrites nothing, and a stream tells of no change`() async throws
    {
        let (siding, items, origin) = try await program()
        origin.page.set(String(decoding: try RecordCoding.standard.encoder().encode([Self.item()]), as: UTF8.self))
        try await siding.sync(items)
        let revision = try await siding.rawRecord(of: items, key: "1")?.revision
        var changes = siding.changes(of: items).makeAsyncIterator()
        guard case .snapshot? = try await changes.next() else {
            Issue.record("there is no snapshot")
            return
        }
        for _ in 0..<3 {
            let read = try await siding.records(of: items).array()
            #expect(try await siding.save(read, to: items) == [.unchanged])
            try await siding.sync(items)
        }
        #expect(try await siding.rawRecord(of: items, key: "1")?.revision == revision)
        origin.page.set(
            origin.page.value.replacing(#""id":1"#, with: #" "id" : 1"#))
        try await siding.sync(items)
        var other = Self.item()
        other.id = 2
        _ = try await siding.save([other], to: items)
        guard case .changes(let difference)? = try await changes.next() else {
            Issue.record("there is no change")
            return
        }
        #expect(difference.updated.isEmpty, "another spelling is no change")
        #expect(difference.inserted.map(\.id) == [2])
    }
}

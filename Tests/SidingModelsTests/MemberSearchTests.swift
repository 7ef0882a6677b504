// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingJSON
import Testing

@testable import Siding
@testable import SidingModels

@Suite struct MemberSearchTests {
    private func path<Model: Codable & Sendable>(
        _ keyPath: any PartialKeyPath<Model> & Sendable, coding: RecordCoding = .standard,
        members: [Member<Model>] = []
    ) throws(MemberError) -> String {
        try MemberMap(members, coding: coding).path(of: keyPath).description
    }

    @Test func `a property is found under the name of its coding key, with any type`() throws {
        #expect(try path(\Ticket.id) == "$.id")
        #expect(try path(\Ticket.title) == "$.title")
        #expect(try path(\Ticket.state) == "$.state")
        #expect(try path(\Ticket.score) == "$.score")
        #expect(try path(\Ticket.isLocked) == "$.locked")
        #expect(try path(\Ticket.createdAt) == "$.created_at")
        #expect(try path(\Ticket.labels) == "$.labels")
    }

    @Test func `a property of a property is found at its own place, and the whole at its`() throws {
        #expect(try path(\Ticket.user?.login) == "$.user.login")
        #expect(try path(\Ticket.user?.home) == "$.user.home")
        #expect(try path(\Ticket.user) == "$.user")
    }

    private struct Everything: Codable, Sendable {
        struct Wrapped: Codable, Sendable, Hashable {
            var raw: Int
            init(from decoder: any Decoder) throws { raw = try decoder.singleValueContainer().decode(Int.self) }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(raw)
            }
        }

        var date: Date
        var url: URL
        var uuid: UUID
        var amount: Decimal
        var bytes: Data
        var small: UInt8
        var large: UInt64
        var map: [String: Int]
        var nested: [[Int]]
        var wrapped: Wrapped
        var parent: [Everything]?
    }

    @Test func `dates, URLs, identifiers, decimals, bytes, maps, arrays and wrappers are made up too`() throws {
        #expect(try path(\Everything.date) == "$.date")
        #expect(try path(\Everything.url) == "$.url")
        #expect(try path(\Everything.uuid) == "$.uuid")
        #expect(try path(\Everything.amount) == "$.amount")
        #expect(try path(\Everything.bytes) == "$.bytes")
        #expect(try path(\Everything.small) == "$.small")
        #expect(try path(\Everything.large) == "$.large")
        #expect(try path(\Everything.map) == "$.map")
        #expect(try path(\Everything.nested) == "$.nested")
        #expect(try path(\Everything.wrapped) == "$.wrapped")
        #expect(try path(\Everything.parent) == "$.parent")
    }

    private final class Tree: Codable, Sendable {
        let id: Int
        let left: Tree?
        let right: Tree?
    }

    @Test func `a model that holds itself comes to an end`() throws {
        #expect(try path(\Tree.id) == "$.id")
    }

    private struct Camel: Codable, Sendable {
        var createdAt: String
        var htmlURL: String
        var userName: String
    }

    @Test func `names are those of the coder`() throws {
        let snake = RecordCoding(usesSnakeCase: true)
        #expect(try path(\Camel.createdAt, coding: snake) == "$.created_at")
        #expect(try path(\Camel.userName, coding: snake) == "$.user_name")
        #expect(try path(\Camel.createdAt) == "$.createdAt")
    }

    @Test func `a computed property is taken only for a member with the same JSON`() throws {
        #expect(try path(\Ticket.number) == "$.id")
        let error = #expect(throws: MemberError.self) { try path(\Ticket.shout) }
        #expect(error?.property == "a computed property of Ticket")
    }

    private enum Mood: String, Codable, Sendable {
        case good, bad
    }

    private struct Moody: Codable, Sendable {
        var id: Int
        var mood: Mood
    }

    private struct Perhaps: Codable, Sendable {
        var id: Int
        var mood: Mood?
    }

    private struct Renamed: Codable, Sendable {
        var mood: Mood
        var number: Int
        var createdAt: Date
        var moody: Moody
        var isSelected = false

        enum CodingKeys: String, CodingKey {
            case mood, number = "nr", createdAt = "created_at", moody
        }
    }

    private struct Checked: Codable, Sendable {
        var id: Int
        var size: String
        var note: String?

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            size = try container.decode(String.self, forKey: .size)
            note = try container.decodeIfPresent(String.self, forKey: .note)
            guard id > 1_000, ["S", "M"].contains(size) else {
                throw DecodingError.dataCorruptedError(forKey: .size, in: container, debugDescription: "no size")
            }
        }
    }

    private struct Small: Codable, Sendable {
        var id: Int
        var size: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            size = try container.decode(String.self, forKey: .size)
            guard size == "a" else {
                throw DecodingError.dataCorruptedError(forKey: .size, in: container, debugDescription: "no size")
            }
        }
    }

    @Test func `a property is found by its own name although its model takes only certain values`() throws {
        #expect(try path(\Moody.id) == "$.id")
        #expect(try path(\Moody.mood) == "$.mood")
        #expect(try path(\Renamed.mood) == "$.mood")
        #expect(try path(\Renamed.moody) == "$.moody")
        #expect(try path(\Renamed.createdAt) == "$.created_at")
        #expect(try path(\Checked.id) == "$.id")
        #expect(try path(\Checked.note) == "$.note")
        // Its own value is one that cannot be varied.
        #expect(try path(\Small.size) == "$.size")
        #expect(try path(\Small.id) == "$.id")
        let snake = RecordCoding(usesSnakeCase: true)
        #expect(try path(\Feeling.lastMood, coding: snake) == "$.last_mood")
    }

    private struct Feeling: Codable, Sendable {
        var lastMood: Mood
    }

    @Test func `where only some values are valid and no member has the name, the error names the remedy`() throws {
        let error = #expect(throws: MemberError.self) { try path(\Renamed.number) }
        #expect(error?.description.contains("Mood at mood takes only certain values") == true)
        #expect(error?.description.contains("Member(\\Renamed.number, \"its_name\")") == true)
        #expect(try path(\Renamed.number, members: [Member(\.number, "nr")]) == "$.nr")
        #expect(try path(\Moody.mood, members: [Member(\.mood, at: JSONPath(members: ["a", "b"]))]) == "$.a.b")
        let nested = #expect(throws: MemberError.self) { try path(\Renamed.moody.id) }
        #expect(nested?.description.contains("unless it is CaseIterable") == true)
        let way = #"Name it: Member(\Renamed.moody.id, at: "$.moody.id")"#
        #expect(nested?.description.hasSuffix(way) == true)
        let named = Member(\Renamed.moody.id, at: "$.moody.id")
        #expect(try path(\Renamed.moody.id, members: [named]) == "$.moody.id")
        #expect(throws: MemberError.self) { try path(\Renamed.isSelected) }
    }

    @Test func `records of a model with a plain enumeration are synced, found and sorted`() async throws {
        let bench = try await TypedBench()
        let moods = try Resource<Moody>(
            "moods", from: bench.issues.untyped.source, at: "/moods", key: \.id, searchable: [\.mood])
        bench.origin.page.set(#"[{"id":1,"mood":"good"},{"id":2,"mood":"bad"},{"id":3,"mood":"good"}]"#)
        try await bench.siding.sync(moods)
        let good = bench.siding.records(of: moods).where(\.mood == .good)
        #expect(try await good.sorted(by: \.id, .descending).array().map(\.id) == [3, 1])
        #expect(try await bench.siding.search("bad", in: moods).map(\.model.id) == [2])
    }

    private struct Post: Codable, Sendable {
        struct Author: Codable, Sendable { var login: String }
        var id: Int
        var author: Author
    }

    @Test func `a declared name with dots is no path, and the error says so`() throws {
        let error = #expect(throws: MemberError.self) {
            try path(\Post.author.login, members: [Member(\.author.login, "author.login")])
        }
        #expect(error?.description.contains("but one at the path $.author.login") == true)
        #expect(error?.description.hasSuffix(#"at: "$.author.login")"#) == true)
        #expect(try path(\Post.id, members: [Member(\.id, "the.id")]) == "\(JSONPath(member: "the.id"))")
    }

    @Test func `optional members do not keep the others from being found`() throws {
        #expect(try path(\Perhaps.id) == "$.id")
    }

    @Test func `a resource takes its key from the property, or from the declared place`() throws {
        let source = try Source(baseURL: "https://example.com")
        let found = try Resource<Ticket>("issues", from: source, at: "/issues", key: \.id, paging: .linkHeader)
        #expect(found.untyped.key == [JSONPath(member: "id")])
        #expect(found.untyped.paging == .linkHeader)
        let told = try Resource<Moody>("moods", from: source, at: "/moods", key: "number")
        #expect(told.untyped.key == [JSONPath(member: "number")])
        let nested = try Resource<Moody>("moods", from: source, at: "/moods", key: "$.meta.id")
        #expect(nested.untyped.key == ["$.meta.id"])
        let odd = AnyResource("odd", from: source, at: "/odd", key: "$type")
        #expect(odd.key == [JSONPath(member: "$type")])
        #expect(throws: MemberError.self) { try Resource<Renamed>("moods", from: source, at: "/moods", key: \.number) }
    }
}

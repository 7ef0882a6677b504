// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingJSON
import SidingNodes
import SidingOrigin
import Testing

/// The short forms of a builder, for models that have a DTO, are plain, or both.
@Suite(.timeLimit(.minutes(5))) struct VocabularyFormsTests {
    /// A model with another form on the wire, which is plain, too.
    struct Ticket: Codable, Equatable, DTOConvertible {
        struct DTO: Codable, RawMappable { var number: Int }

        var id: Int

        func toDTO() throws -> DTO { DTO(number: id) }
        static func from(dto: DTO) throws -> Ticket { Ticket(id: dto.number) }
    }

    /// A model with a DTO alone.
    struct Order: Equatable, DTOConvertible {
        var id: Int

        func toDTO() throws -> Ticket.DTO { Ticket.DTO(number: id) }
        static func from(dto: Ticket.DTO) throws -> Order { Order(id: dto.number) }
    }

    struct Plain: Codable, Equatable { var number: Int }

    @Test func `where a type is both, its DTO is what travels, in every short form`() async throws {
        try await BuilderSettingsTests.building(handler: { _ in .json(#"{"number":7}"#) }) {
            (origin, builder) async throws in
            let tickets = builder.route(.post, "/tickets")
            let whole: Chain<Ticket, Ticket> = tickets.build()
            #expect(try await whole(Ticket(id: 7)) == Ticket(id: 7))
            let loaded: Chain<Ticket, LoadedResponse> = tickets.buildDataLoading()
            _ = try await loaded(Ticket(id: 7))
            let toPlain: Chain<Ticket, Plain> = tickets.build()
            #expect(try await toPlain(Ticket(id: 7)) == Plain(number: 7))
            let fromPlain: Chain<Plain, Ticket> = tickets.build()
            #expect(try await fromPlain(Plain(number: 7)) == Ticket(id: 7))
            let silent: Chain<Ticket, Void> = tickets.build()
            try await silent(Ticket(id: 7))
            #expect(origin.requests.map(\.text) == Array(repeating: #"{"number":7}"#, count: 5))
            let caching = builder.route(.get, "/tickets").cache(
                InMemoryResponseCache(), keying: CacheKeying(account: "me"))
            let cached: Chain<Void, ChainResponse<Ticket>> = try caching.buildCached(.serverOnly)
            #expect(try await cached().body == Ticket(id: 7))
            let doubled: Chain<Void, ResponseSequence<Ticket>> = try caching.buildCacheThenServer()
            var seen: [Ticket] = []
            for try await response in try await doubled() { seen.append(response.body) }
            #expect(seen == [Ticket(id: 7)], "the second answer is the same")
        }
    }

    @Test func `a model with a DTO goes with a plain one at the other end`() async throws {
        try await BuilderSettingsTests.building(handler: { _ in .json(#"{"number":8}"#) }) {
            (origin, builder) async throws in
            let orders = builder.route(.post, "/orders")
            let toPlain: Chain<Order, Plain> = orders.build()
            #expect(try await toPlain(Order(id: 7)) == Plain(number: 8))
            let fromPlain: Chain<Plain, Order> = orders.build()
            #expect(try await fromPlain(Plain(number: 7)) == Order(id: 8))
            let loaded: Chain<Order, LoadedResponse> = orders.buildDataLoading()
            _ = try await loaded(Order(id: 7))
            #expect(origin.requests.map(\.text) == Array(repeating: #"{"number":7}"#, count: 3))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import SidingPaging
import HTTPTypes
import Testing

@testable import Siding

@Suite struct PageAnswerTests {
    private let link = HTTPFields([HTTPField(name: .init("Link")!, value: #"<https://a.example/2>; rel="next""#)])

    private func answer(_ envelope: [String: EnvelopeScalar], _ fields: HTTPFields = [:]) throws -> PageAnswer {
        let paths = try envelope.map { (try JSONPath(parsing: $0.key), $0.value) }
        return PageAnswer(headerFields: fields, recordCount: 1, envelope: Dictionary(uniqueKeysWithValues: paths))
    }

    @Test func `a Link field comes before everything in the body`() throws {
        #expect(try answer(["$.next": .text("/3"), "$.next_cursor": .text("c")], link).detectPaging() == .linkHeader)
    }

    @Test func `a next URL comes before a header field and a cursor`() throws {
        let fields = HTTPFields([HTTPField(name: .init("X-Next-Page")!, value: "2")])
        let found = try answer(["$.links.next": .text("/3"), "$.next_cursor": .text("c")], fields).detectPaging()
        #expect(found == .nextURL(try JSONPath(parsing: "$.links.next")))
    }

    @Test func `a header field that names the next page comes before a cursor`() throws {
        let fields = HTTPFields([HTTPField(name: .init("Next-Page")!, value: "2")])
        #expect(
            try answer(["$.next_cursor": .text("c")], fields).detectPaging() == .nextHeader(.init("Next-Page")!))
    }

    @Test(arguments: [
        "$.next", "$.links.next", "$._links.next", "$.paging.next", "$.pagination.next",
        #"$."@odata.nextLink""#, "$.next_page", "$.next_url", "$.nextLink",
    ])
    func `each place of a next URL is known`(_ path: String) throws {
        #expect(try answer([path: .text("https://a.example/2")]).detectPaging() == .nextURL(JSONPath(parsing: path)))
    }

    @Test(arguments: [
        ("$.next_cursor", "cursor"), ("$.nextCursor", "cursor"), ("$.meta.next_cursor", "cursor"),
        ("$.response_metadata.next_cursor", "cursor"), ("$.pagination.next_cursor", "cursor"),
        ("$.next_page_token", "page_token"), ("$.nextPageToken", "pageToken"), ("$.paging.next.after", "after"),
        ("$.paging.cursors.after", "after"), ("$.meta.after_cursor", "page[after]"),
        ("$.continuationToken", "continuationToken"),
    ])
    func `each place of a cursor has its query parameter`(_ path: String, _ parameter: String) throws {
        let found = try answer([path: .text("abc")]).detectPaging()
        #expect(found == .cursor(try JSONPath(parsing: path), parameter: .query(parameter)))
    }

    @Test func `page and offset numbers are never guessed`() throws {
        #expect(try answer(["$.next_page": .text("2"), "$.next": .text("3")]).detectPaging() == .none)
    }

    @Test func `empty texts and empty header fields name no next page`() throws {
        let fields = HTTPFields([HTTPField(name: .init("X-Next-Page")!, value: "")])
        #expect(try answer(["$.next": .text(""), "$.next_cursor": .text("")], fields).detectPaging() == .none)
    }

    @Test(
        arguments: [
            (.bool(true), true), (.text("True"), true), (.text("yes"), true), (.text("Y"), true), (.text("1"), true),
            (.number("1"), true), (.bool(false), false), (.text("false"), false), (.text("NO"), false),
            (.text("n"), false), (.text("0"), false), (.number("0"), false), (.number("2"), nil), (.text("maybe"), nil),
            (.text(""), nil), (nil, nil),
        ] as [(EnvelopeScalar?, Bool?)])
    func `a flag is true or false in any spelling, and other values are neither`(
        _ value: EnvelopeScalar?, _ truth: Bool?
    ) throws {
        let path = try JSONPath(parsing: "$.more")
        #expect(try answer(value.map { ["$.more": $0] } ?? [:]).truth(at: path) == truth)
    }
}

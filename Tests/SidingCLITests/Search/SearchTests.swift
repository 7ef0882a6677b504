// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingOrigin
import Testing

/// Searches by POST, shaped as origins that people have: with the binary, over a socket, into a file.
@Suite(.serialized)
struct SearchTests {
    private func synced(
        _ resource: String, status: Int32 = 0, _ answer: @escaping @Sendable (SearchRequest) async throws -> String
    ) async throws -> (Origin, Sandbox) {
        let origin = try await Origin.searching(answer)
        let sandbox = try Sandbox()
        try sandbox.config(origin.config(resource))
        let outcome = try await sandbox.siding("sync")
        #expect(outcome.status == status, "\(outcome.everything)")
        return (origin, sandbox)
    }

    @Test func `HubSpot takes 'after' in the body, from paging.next.after`() async throws {
        let (origin, sandbox) = try await synced(
            """
            key: id
            method: POST
            records: "$.results[*]"
            body: { limit: 2, filterGroups: [{ filters: [{ propertyName: lifecycle, operator: EQ, value: lead }] }] }
            paginate: { type: cursor, path: $.paging.next.after, in: body, param: after }
            """
        ) { search in
            search["after"] == nil
                ? #"{"results":[{"id":"1"},{"id":"2"}],"paging":{"next":{"after":"2","link":"x"}}}"#
                : #"{"results":[{"id":"3"}]}"#
        }
        #expect(try await sandbox.keys() == ["1", "2", "3"])
        let filters =
            #""filterGroups":[{"filters":[{"operator":"EQ","propertyName":"lifecycle","value":"lead"}]}],"limit":2"#
        #expect(origin.bodies == ["{\(filters)}", "{\(filters),\"after\":\"2\"}"])
        await origin.stop()
    }

    @Test func `HubSpot's cursor is found, and is sent back in the body`() async throws {
        let (origin, sandbox) = try await synced("key: id\nmethod: POST\nrecords: \"$.results[*]\"\nbody: { limit: 1 }")
        {
            $0["after"] == nil
                ? #"{"results":[{"id":"1"}],"paging":{"next":{"after":"1"}}}"# : #"{"results":[{"id":"2"}]}"#
        }
        #expect(origin.bodies == [#"{"limit":1}"#, #"{"limit":1,"after":"1"}"#])
        #expect(
            try await sandbox.siding("runs", "show", "1").output.contains(
                "cursor at $.paging.next.after in body $.after"))
        await origin.stop()
    }

    @Test func `Notion: start_cursor and has_more, with nothing else in the body`() async throws {
        let (origin, sandbox) = try await synced(
            """
            key: id
            method: POST
            records: "$.results[*]"
            paginate: { type: cursor, path: $.next_cursor, in: body, param: start_cursor }
            stop: { has_more: $.has_more }
            """
        ) {
            $0["start_cursor"] == nil
                ? #"{"results":[{"id":"1"}],"next_cursor":"c-2","has_more":true}"#
                : #"{"results":[{"id":"2"}],"next_cursor":null,"has_more":false}"#
        }
        #expect(try await sandbox.keys() == ["1", "2"])
        #expect(origin.bodies == ["{}", #"{"start_cursor":"c-2"}"#])
        await origin.stop()
    }

    @Test func `GraphQL: endCursor is sent in the variables until hasNextPage is false`() async throws {
        let (origin, sandbox) = try await synced(
            """
            key: id
            method: POST
            records: "$.data.products.nodes[*]"
            body:
              query: |
                query($after: String) { products(first: 2, after: $after) { nodes { id } pageInfo { endCursor hasNextPage } } }
              variables: { first: 2, after: null }
            paginate: { type: cursor, path: $.data.products.pageInfo.endCursor, in: body, param: $.variables.after }
            stop: { has_more: $.data.products.pageInfo.hasNextPage }
            """
        ) { search in
            let isFirst = search["variables", "after"] == JSONValue.null
            return
                #"{"data":{"products":{"nodes":[{"id":"\#(isFirst ? 1 : 2)"}],"pageInfo":{"endCursor":"\#(isFirst ? "a" : "b")","hasNextPage":\#(isFirst)}}}}"#
        }
        #expect(try await sandbox.keys() == ["1", "2"])
        #expect(origin.bodies.map { $0.contains(#""variables":{"after":"a","first":2}"#) } == [false, true])
        #expect(origin.bodies.allSatisfy { $0.contains("query($after: String) { products(first: 2") })
        await origin.stop()
    }

    @Test func `Elasticsearch: search_after is the whole sort of the last hit, until a page is empty`() async throws {
        let (origin, sandbox) = try await synced(
            """
            key: _id
            method: POST
            records: "$.hits.hits[*]"
            body: { size: 2, sort: [{ at: asc }, { _id: asc }] }
            paginate: { type: cursor, last: $.sort, in: body, param: search_after }
            """
        ) { search in
            guard let after = search["search_after"] else {
                return
                    #"{"hits":{"hits":[{"_id":"1","sort":[1700000000001,"1"]},{"_id":"2","sort":[1700000000002,"2"]}]}}"#
            }
            let second = JSONValue.array([.number(1_700_000_000_002), .string("2")])
            return after == second
                ? #"{"hits":{"hits":[{"_id":"3","sort":[12345678901234567890,"3"]}]}}"# : #"{"hits":{"hits":[]}}"#
        }
        #expect(try await sandbox.keys() == ["1", "2", "3"])
        #expect(origin.bodies.last?.hasSuffix(#""search_after":[12345678901234567890,"3"]}"#) ?? false)
        await origin.stop()
    }

    @Test func `Algolia: page numbers and sizes in the body`() async throws {
        let (origin, sandbox) = try await synced(
            """
            key: objectID
            method: POST
            records: "$.hits[*]"
            body: { params: { query: "" } }
            paginate: { type: page, in: body, param: $.params.page, start: 0, size_param: $.params.hitsPerPage, size: 2 }
            """
        ) {
            let page = $0["params", "page"]
            if page == JSONValue.number(0) { return #"{"hits":[{"objectID":"1"},{"objectID":"2"}]}"# }
            return page == JSONValue.number(1) ? #"{"hits":[{"objectID":"3"}]}"# : #"{"hits":[]}"#
        }
        #expect(try await sandbox.keys() == ["1", "2", "3"])
        #expect(
            origin.bodies == [0, 1, 2].map { #"{"params":{"query":"","page":\#($0),"hitsPerPage":2}}"# })
        await origin.stop()
    }

    @Test func `a form is sent as HTML forms are, and is not JSON`() async throws {
        let origin = try await Origin.start { request in
            guard request.headerFields[.contentType] == "application/x-www-form-urlencoded" else { return .notFound }
            let isFirst = !String(decoding: request.body, as: UTF8.self).contains("cursor")
            return .json(#"{"items":[{"id":\#(isFirst ? 1 : 2)}],"next":"\#(isFirst ? "a+b=" : "")"}"#)
        }
        let sandbox = try Sandbox()
        try sandbox.config(
            origin.config(
                """
                key: id
                method: POST
                body: { channel: "C 1", limit: 1 }
                body_encoding: form
                paginate: { type: cursor, path: $.next, in: body, param: cursor }
                """))
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(origin.bodies == ["channel=C%201&limit=1", "channel=C%201&limit=1&cursor=a%2Bb%3D"])
        #expect(try await sandbox.keys() == ["1", "2"])
        await origin.stop()
    }

    @Test func `a token that comes again is a loop, though every page has the same URL`() async throws {
        let (origin, sandbox) = try await synced(
            "key: id\nmethod: POST\npaginate: { type: cursor, path: $.next, in: body, param: after }", status: 3
        ) { search in
            let after = search["after"]
            if after == nil { return #"{"items":[{"id":1}],"next":"a"}"# }
            return after == JSONValue.string("a")
                ? #"{"items":[{"id":2}],"next":"b"}"# : #"{"items":[{"id":3}],"next":"a"}"#
        }
        #expect(origin.bodies.count == 3)
        #expect(try await sandbox.siding("runs", "show", "1").output.contains("a loop"))
        let status = try await sandbox.siding("status", "--json").output
        #expect(!status.contains("completed_at"))
        await origin.stop()
    }

    @Test func `a search requests changes only, and sends no conditions`() async throws {
        let origin = try await Origin.start { request in
            let answer = #"{"items":[{"id":1,"at":1700000000500}]}"#
            return OriginResponse.json(answer, headerFields: [.eTag: "\"1\""])
        }
        let sandbox = try Sandbox()
        try sandbox.config(
            origin.config(
                """
                key: id
                method: POST
                body: { filter: { updated: { gte: "{cursor}" } }, label: "since {cursor}" }
                cursor: { path: $.at, type: epoch_ms }
                """))
        #expect(try await sandbox.siding("sync").status == 0)
        let plan = try await sandbox.siding("plan", "--json").object()
        #expect(plan["body"] == .string(#"{"filter":{"updated":{"gte":1700000000500}},"label":"since 1700000000500"}"#))
        #expect(plan["conditions"] == .array([]))
        #expect(try await sandbox.siding("plan").output.contains(#"body: {"filter""#))
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(
            origin.bodies == [
                #"{"filter":{"updated":{}}}"#,
                #"{"filter":{"updated":{"gte":1700000000500}},"label":"since 1700000000500"}"#,
            ])
        #expect(origin.requests.allSatisfy { $0.headerFields[.ifNoneMatch] == nil })
        await origin.stop()
    }

    @Test func `a token of the envelope that no request can repeat is a fault of the page`() async throws {
        let origin = try await Origin.searching { _ in #"{"items":[{"id":1}],"next":"\ud800"}"# }
        let sandbox = try Sandbox()
        try sandbox.config(
            origin.config("key: id\nmethod: POST\npaginate: { type: cursor, path: $.next, in: body, param: after }"))
        let outcome = try await sandbox.siding("sync")
        #expect(outcome.status == 65)
        #expect(outcome.error.contains("half of a surrogate pair"))
        await origin.stop()
    }
}

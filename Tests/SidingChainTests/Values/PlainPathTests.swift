// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import Testing

/// Paths and queries that are joined without parsing must come out as the parser would have them.
@Suite struct PlainPathTests {
    static let bases = [
        "http://a", "http://a/", "http://a/v2", "http://a/v2/", "https://a:8443/b//c", "http://[::1]:8080/x?",
        "http://a/v2?k=1", "http://a/%C5%BC/;p", "https://a.example:443/.",
    ]

    @Test(
        arguments: [
            "/issues", "/issues/7", "/a/../b", "/./x", "//x", "/", "/a.b_c~d-e/", "/..", "/a//b", "/.hidden", "/~u",
            "/0",
        ])
    func `a plain path is joined as the parser would join it`(_ path: String) throws {
        for text in Self.bases {
            let base = try HTTPURL(text)
            let joined = try base.appending(path: path)
            let kept = base.path.hasSuffix("/") ? String(base.path.dropLast()) : base.path
            let parsed = try HTTPURL("\(base.origin)\(kept)\(path)")
            let query = base.query.flatMap { $0.isEmpty ? nil : $0 }
            #expect(joined == parsed.with(query: query), "\(text) \(path)")
            #expect(try HTTPURL(joined.description) == joined)
        }
    }

    @Test func `the shown path is made of the request, secrets left out`() async throws {
        let draft = RequestDraft(route: RequestRoute(.get, try HTTPURL("https://a:444/p?mine=canary&x=1&token=canary")))
        var outgoing = try await RequestCreatorNode(secretQueryNames: ["mine"]).process(draft, .test)
        #expect(outgoing.shownURL == "https://a:444/p?mine=…&x=1&token=…")
        outgoing.shownURL = "another"
        #expect(outgoing.shownURL == "another")
        #expect(OutgoingRequest(request: outgoing.request, body: .none, shownURL: "given").shownURL == "given")
        let plain = OutgoingRequest(request: try HTTPURL("http://a").request(.get), body: .none)
        #expect(plain.shownURL == "http://a/")
    }

    @Test func `several injected values of one name are sent beside the request's own fields`() async throws {
        var several: HTTPFields = [.accept: "a"]
        several.append(HTTPField(name: .via, value: "1"))
        several.append(HTTPField(name: .via, value: "2"))
        let node = HeaderInjectorNode(several)
        let draft = RequestDraft(route: RequestRoute(.get, try HTTPURL("http://a")), headerFields: [.accept: "mine"])
        let fields = try await node.process(draft, .test).headerFields
        #expect(fields[values: .accept] == ["mine"])
        #expect(fields[.via] == "1, 2")
        let cookies = HeaderInjectorNode([.cookie: "a=1; b=2"])
        #expect(try await cookies.process(draft, .test).headerFields[.cookie] == "a=1; b=2")
        #expect(try await cookies.process(RequestDraft(route: draft.route), .test).headerFields[.cookie] == "a=1; b=2")
    }
}

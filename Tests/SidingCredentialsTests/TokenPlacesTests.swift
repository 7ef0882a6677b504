// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import Testing

@testable import SidingCredentials

@Suite struct TokenPlacesTests {
    private func grant(_ places: TokenPlaces, _ answer: String, _ fields: HTTPFields = [:]) throws(Failure)
        -> TokenGrant
    {
        try places.grant(Array(answer.utf8), fields, now: 1_767_225_600)
    }

    @Test(
        arguments: [
            ("60", Duration.seconds(60)), ("\"60\"", .seconds(60)), ("\"2026-01-01T01:00:00Z\"", .seconds(3600)),
            ("\"2026-01-01T01:00:00.500Z\"", .seconds(3600)),
            ("\"2026-01-01 01:00:00\"", .seconds(3600)), ("\"2026-01-01T03:00:00+02:00\"", .seconds(3600)),
            ("0", nil), ("\"soon\"", nil), ("null", nil),
            ("\"2025-01-01T01:00:00Z\"", nil), ("1e300", nil), ("-1e999", nil), ("1767229200", .seconds(3600)),
            ("1767229200000", .seconds(3600)), ("1735689600", nil), ("999999999", .seconds(999_999_999)),
        ] as [(String, Duration?)])
    func `an answer has the lifetime of its token in seconds, or the moment of its end`(
        _ text: String, _ lifetime: Duration?
    ) throws {
        let answer = #"{"token":"t","expires_in":\#(text)}"#
        #expect(try grant(TokenPlaces(), answer) == TokenGrant(accessToken: "t", lifetime: lifetime))
        let usual = TokenPlaces(usualLifetime: .seconds(5))
        #expect(try grant(usual, answer).lifetime == lifetime ?? .seconds(5))
    }

    @Test func `a token is where the config says, else in one of the usual places`() throws {
        #expect(try grant(TokenPlaces(), #"{"token":"b","access_token":"a"}"#).accessToken == "a")
        let path = TokenPlaces(.body([JSONPath(members: ["a", "b"])]))
        #expect(try grant(path, #"{"a":{"b":7}}"#).accessToken == "7")
        let field = TokenPlaces(.field(.eTag))
        #expect(try grant(field, "no JSON", [.eTag: "e"]).accessToken == "e")
    }

    @Test(arguments: [
        "", "canary", #"{"tokn":"canary"}"#, #"{"token":""}"#, #"{"token":{"canary":1}}"#, #"["canary"]"#,
    ])
    func `an answer without a token needs an operator, and is not quoted`(_ answer: String) throws {
        let failure = try #require(throws: Failure.self) { try grant(TokenPlaces(), answer) }
        #expect((failure.underlying as? RefreshRefusal)?.description.contains("$.access_token or $.token") == true)
        #expect(!String(reflecting: failure).contains("canary"))
        let field = try #require(throws: Failure.self) { try grant(TokenPlaces(.field(.eTag)), answer) }
        #expect("\(field.underlying.map { "\($0)" } ?? "")".contains("in the header field"))
    }
}

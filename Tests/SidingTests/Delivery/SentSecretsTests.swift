// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import HTTPTypes
import SidingChain
import Testing

@testable import Siding

/// What an origin repeats of a credential is not kept, however it writes it.
@Suite struct SentSecretsTests {
    private func secrets(_ authorization: String) -> SentSecrets {
        var request = HTTPRequest(method: .post, scheme: "https", authority: "a.test", path: "/x")
        request.headerFields[.authorization] = authorization
        let secrets = SentSecrets()
        secrets.add(from: request, beyond: [:], secretQueryNames: [])
        return secrets
    }

    @Test func `a token may have the mark of a cut in it`() {
        let said = String(repeating: "x", count: 20) + "passwo…rd1234567890abc…"
        #expect(
            secrets("Bearer passwo…rd1234567890abcdefghij").scrubbed(said) == String(repeating: "x", count: 20) + "…")
    }

    private func scrubbed(_ answer: String, authorization: String) -> String {
        String(decoding: secrets(authorization).scrubbed(Array(answer.utf8)), as: UTF8.self)
    }

    @Test(arguments: 6...15)
    func `a message that is cut within a token has no beginning of it`(count: Int) {
        let token = "sk_live_42424242"
        let message = "403: the key \(token.prefix(count))…; no other \(token.prefix(5))…"
        #expect(secrets("Bearer \(token)").scrubbed(message) == "403: the key …; no other sk_li…")
    }

    @Test(arguments: ["hunter2/Secret9", "hunter2\\/Secret9", "van:hunter2/Secret9"])
    func `a Basic password is cut out, alone, in its pair, and as JSON may write it`(said: String) {
        let pair = Data("van:hunter2/Secret9".utf8).base64EncodedString()
        let answer = scrubbed(#"{"error":"bad password \#(said)"}"#, authorization: "Basic \(pair)")
        #expect(answer == #"{"error":"bad password …"}"#)
    }

    @Test func `a user's name is cut out where the password is empty, as it is the key then`() {
        let key = Data("sk_live_4242:".utf8).base64EncodedString()
        #expect(scrubbed("no such key: sk_live_4242", authorization: "Basic \(key)") == "no such key: …")
        let named = Data("somebody:hunter2/Secret9".utf8).base64EncodedString()
        #expect(scrubbed("who is somebody?", authorization: "Basic \(named)") == "who is somebody?")
    }

    @Test func `a token with quotes and backslashes is cut out of a JSON string`() {
        #expect(scrubbed(#"{"t":"ab\"cd\\efgh"}"#, authorization: #"Bearer ab"cd\efgh"#) == #"{"t":"…"}"#)
    }

    @Test func `an accent on a quote hides no quote`() {
        let pair = Data("van:hunter2\"\u{301}Secret9".utf8).base64EncodedString()
        let answer = scrubbed("{\"t\":\"hunter2\\\"\u{301}Secret9\"}", authorization: "Basic \(pair)")
        #expect(answer == #"{"t":"…"}"#)
    }

    @Test func `text that is not a pair is left unchanged`() {
        #expect(scrubbed("nothing of the kind", authorization: "Basic !!!notbase64") == "nothing of the kind")
    }
}

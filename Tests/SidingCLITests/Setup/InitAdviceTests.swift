// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingOrigin
import Testing

/// `siding init` on a URL that is not that of a list: what to try instead.
@Suite(.serialized)
struct InitAdviceTests {
    @Test(arguments: [
        ("text/html; charset=utf-8", "\n<!DOCTYPE html><title>Sign in</title>", "/posts", "a web page answered"),
        ("application/json", "<html><body>Hi", "/posts", "a web page answered"),
        ("application/xml", "<?xml version=\"1.0\"?><posts/>", "/posts", "Siding reads JSON"),
        ("text/plain", "<?xml version=\"1.0\"?><posts/>", "/posts", "Siding reads JSON"),
        ("application/json", #"{"id":3,"title":"a","tags":[]}"#, "/v2/tasks/3", "such as ORIGIN/v2/tasks"),
        ("application/json", #"{"uuid":"x","tags":["a"]}"#, "/tasks/3?expand=all", "such as ORIGIN/tasks"),
        ("application/json", #"{"taskId":3}"#, "/task", "this looks like one record"),
        ("application/json", "[]", "/posts", "the list is empty"),
        ("application/json", #"{"items":[],"total":0}"#, "/v2/posts", "the list is empty"),
    ])
    func `an answer without records comes with advice`(_ type: String, _ body: String, _ path: String, _ words: String)
        async throws
    {
        let origin = try await Origin.start { _ in
            OriginResponse(headerFields: [.contentType: type], body: Array(body.utf8))
        }
        let sandbox = try Sandbox()
        let made = try await sandbox.siding("init", "\(origin.url.origin)\(path)")
        #expect(made.status == 65, "\(made.everything)")
        #expect(made.error.contains(words.replacing("ORIGIN", with: origin.url.origin)), "\(made.error)")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.path) == [])
        await origin.stop()
    }

    @Test(arguments: [
        #"{"error":"no such token","id":7}"#, #"{"message":"gone","items":[]}"#,
        #"{"id":7,"items":[{"a":1},{"a":1}]}"#,
    ])
    func `an error object, or one with records without a key, is not called a record or an empty list`(
        _ body: String
    ) async throws {
        let origin = try await Origin.start { _ in .json(body) }
        let sandbox = try Sandbox()
        let made = try await sandbox.siding("init", "\(origin.url.origin)/v2/posts")
        #expect(made.status == 65, "\(made.everything)")
        #expect(!made.error.contains("looks like") && !made.error.contains("is empty"), "\(made.error)")
        await origin.stop()
    }

    @Test func `https to a port that speaks plain HTTP says what to try`() async throws {
        let origin = try await Origin.start { _ in .json(#"[{"id":1}]"#) }
        let sandbox = try Sandbox()
        let place = origin.url.origin.dropFirst("http".count)
        let made = try await sandbox.siding("init", "https\(place)/posts")
        #expect(made.status == 75, "\(made.everything)")
        #expect(
            made.error.contains(
                "nothing was written; if that port speaks plain HTTP, try http\(place)/posts; else try again later"),
            "\(made.error)")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.path) == [])
        await origin.stop()
    }

    @Test func `plain HTTP to a port that answers 400 or nothing says what to try`() async throws {
        for isCut in [false, true] {
            let origin = try await Origin.start { _ in
                var response = OriginResponse(status: .badRequest, headerFields: [.contentType: "text/html"])
                response.fault = isCut ? .closeBeforeHead : nil
                return response
            }
            let sandbox = try Sandbox()
            let made = try await sandbox.siding("init", "\(origin.url.origin)/posts")
            #expect(made.status == (isCut ? 75 : 69), "\(made.everything)")
            let place = origin.url.origin.dropFirst("http".count)
            #expect(made.error.contains("if that port speaks TLS, try https\(place)/posts"), "\(made.error)")
            await origin.stop()
        }
    }

    @Test func `a 403 without a challenge names the options for credentials`() async throws {
        let origin = try await Origin.start { _ in .json("{}", status: .forbidden) }
        let sandbox = try Sandbox()
        let made = try await sandbox.siding("init", "\(origin.url.origin)/posts")
        #expect(made.status == 69 && made.error.contains("if it takes credentials, ask with --bearer-env"))
        #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.path) == [])
        await origin.stop()
    }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingOrigin
import SidingTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct GatewayTests {
    private let program = ExampleProgram(name: "GatewayExample")
    private let directory: TemporaryDirectory
    private let photo = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write(photo, to: "photo.jpg")
    }

    /// A tracker with one issue, whose answers are in an envelope.
    private static func answer(_ request: OriginRequest) -> OriginResponse {
        switch (request.method, request.path) {
        case ("GET", "/issues/1"): .json(#"{"data":{"id":1,"title":"Broken gate","state":"open"}}"#)
        case ("POST", "/issues") where request.body == Array(#"{"title":""}"#.utf8):
            .json(#"{"code":"empty_title","message":"a title, please"}"#, status: .unprocessableContent)
        case ("POST", "/issues"):
            .json(#"{"data":{"id":7,"title":"The gate does not close"}}"#, status: .created)
        case ("POST", "/issues/7/attachments"):
            .json(#"{"data":{"name":"photo.jpg","size":1000000}}"#, status: .created)
        default: .notFound
        }
    }

    @Test func `reads, creates and attaches through the envelope, and knows the tracker's own errors`() async throws {
        let origin = try await Origin.start { Self.answer($0) }
        let outcome = try await program.run(origin.url.origin, "photo.jpg", in: directory)
        #expect(outcome.status == 0, "\(outcome.output + outcome.error)")
        #expect(
            outcome.lines.filter { !$0.hasPrefix("sent: ") } == [
                "first: Broken gate", "created: 7", "attached: photo.jpg, 1000000 bytes", "an issue needs a title",
            ])
        #expect(origin.requests.count == 4)
        #expect(origin.requests[0].body == [])
        #expect(origin.requests[1].body == Array(#"{"title":"The gate does not close"}"#.utf8))
        await origin.stop()
    }

    @Test func `the file arrives byte for byte, and its progress grows to the whole`() async throws {
        let origin = try await Origin.start { Self.answer($0) }
        let outcome = try await program.run(origin.url.origin, "photo.jpg", in: directory)
        let sent = outcome.lines.filter { $0.hasPrefix("sent: ") }.compactMap {
            Int($0.dropFirst(6).prefix { $0 != " " })
        }
        #expect(sent.last == 100)
        #expect(zip(sent, sent.dropFirst()).allSatisfy { $0 <= $1 })
        // After the headers of the part and before the last boundary.
        let upload = try #require(origin.requests.first { $0.path == "/issues/7/attachments" })
        #expect(try #require(upload.headerFields[.contentType]).hasPrefix("multipart/form-data; boundary="))
        #expect(Data(upload.body).range(of: Data(photo)) != nil)
        #expect(Data(upload.body).range(of: Data(#"name="file"; filename="photo.jpg""#.utf8)) != nil)
        await origin.stop()
    }

    @Test(arguments: [
        (#"{"code":"gone_fishing","message":"back\nsoon"}"#, "gone_fishing: back"),
        ("<html>", "the origin answered 503"),
    ])
    func `a no in other words ends the program with 1, on one line`(body: String, start: String) async throws {
        let origin = try await Origin.start { _ in .json(body, status: .serviceUnavailable) }
        let outcome = try await program.run(origin.url.origin, "photo.jpg", in: directory)
        #expect(outcome.status == 1)
        #expect(outcome.lines.count == 1)
        #expect(outcome.output.hasPrefix(start), "\(outcome.output)")
        await origin.stop()
    }

    @Test func `a file that is not there is said, and nothing of it is sent`() async throws {
        let origin = try await Origin.start { Self.answer($0) }
        let outcome = try await program.run(origin.url.origin, "none.jpg", in: directory)
        #expect(outcome.status == 1)
        #expect(try #require(outcome.lines.last).contains("none.jpg"))
        #expect(origin.requests.count == 2)
        await origin.stop()
    }
}

// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingNodes
import SidingOrigin
import SidingTesting
import TestSupport
import Testing

/// The forms of a chain that a builder makes, and the settings that all of them share.
@Suite(.timeLimit(.minutes(5))) struct VocabularyBuilderTests {
    typealias Answer = BuilderSettingsTests.Answer

    struct Draft: Codable, Sendable { var title: String }

    @Test func `each form of a chain sends its input and returns its output`() async throws {
        try await BuilderSettingsTests.building { (origin, builder) async throws in
            let notes = builder.route(.post, "/notes")
            let both: Chain<Draft, Answer> = notes.build()
            #expect(try await both(Draft(title: "a")) == Answer(answer: 42))
            let reading: Chain<Void, Answer> = notes.build()
            #expect(try await reading() == Answer(answer: 42))
            let writing: Chain<Draft, Void> = notes.build()
            try await writing(Draft(title: "b"))
            let silent: Chain<Void, Void> = notes.build()
            try await silent()
            #expect(origin.requests.map(\.text) == [#"{"title":"a"}"#, "", #"{"title":"b"}"#, ""])
            let json = "application/json"
            #expect(origin.requests.map { $0.headerFields[.contentType] } == [json, nil, json, nil])
            #expect(origin.requests.allSatisfy { $0.line == "POST /notes" })
        }
    }

    @Test func `each form fails with the status of the origin`() async throws {
        try await BuilderSettingsTests.building { (origin, builder) async throws in
            origin.inject(.status(404), times: nil)
            let notes = builder.route(.post, "/notes")
            let both: Chain<Draft, Answer> = notes.build()
            #expect(await both.outcome(of: Draft(title: "a")).failure?.status == 404)
            let reading: Chain<Void, Answer> = notes.build()
            #expect(await reading.outcome().failure?.status == 404)
            let writing: Chain<Draft, Void> = notes.build()
            #expect(await writing.outcome(of: Draft(title: "a")).failure?.status == 404)
            let silent: Chain<Void, Void> = notes.build()
            #expect(await silent.outcome().failure?.status == 404)
            #expect(origin.requests.count == 4)
        }
    }

    @Test func `data is loaded as bytes, with and without input, or written to a file`() async throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let directory = try TemporaryDirectory()
        let answer = OriginResponse(headerFields: [.contentType: "image/png"], body: bytes)
        try await BuilderSettingsTests.building(handler: { _ in answer }) { (origin, builder) async throws in
            let map: Chain<Void, LoadedResponse> = builder.route(.get, "/map").buildDataLoading()
            let loaded = try await map()
            #expect(loaded.bytes == bytes)
            #expect(loaded.response.headerFields[.contentType] == "image/png")
            let preview: Chain<Draft, LoadedResponse> = builder.route(.post, "/preview").buildDataLoading()
            #expect(try await preview(Draft(title: "a")).bytes == bytes)
            let path = directory.path(of: "map.png")
            let download: Chain<Void, DownloadedFile> = builder.route(.get, "/map")
                .buildDownload(to: FileDestination(path))
            #expect(try await download().bytes == 100_000)
            #expect(DownloadTests.contents(path) == bytes)
            #expect(origin.requests.map(\.line) == ["GET /map", "POST /preview", "GET /map"])
            #expect(origin.requests.map(\.text) == ["", #"{"title":"a"}"#, ""])
        }
    }

    @Test func `a changed copy of a builder has its own settings, and the original is unchanged`() async throws {
        try await BuilderSettingsTests.building { (origin, builder) async throws in
            let plain = builder.route(.post, "/notes")
            let changed = plain.with(\.metadata[.acceptLanguage], "fi").with(\.encoding, .formURL)
                .with(\.assembly.headerFields[.via], "gateway")
            for notes in [plain, changed, plain] {
                let chain: Chain<Draft, Void> = notes.build()
                try await chain(Draft(title: "a b"))
            }
            #expect(origin.requests.map(\.text) == [#"{"title":"a b"}"#, "title=a%20b", #"{"title":"a b"}"#])
            #expect(origin.requests.map { $0.headerFields[.acceptLanguage] } == [nil, "fi", nil])
            #expect(origin.requests.map { $0.headerFields[.via] } == [nil, "gateway", nil])
        }
    }

    @Test func `the nodes of a call log their events in order and without secrets, except those left out`() async throws
    {
        try await BuilderSettingsTests.building { (origin, builder) async throws in
            let patient = builder.with(\.assembly.retry.retries, 1).route(.get, "/p?token=canary")
            origin.inject(.status(503))
            let log = RecordedLog()
            let chain: Chain<Void, Answer> = patient.build()
            _ = try await chain(ChainContext(requestID: "r1", logger: log.logger))
            #expect(
                log.lines.map(\.message) == [
                    "request is sent", "answer has come", "request will be tried again", "request is sent",
                    "answer has come", "request succeeded",
                ])
            #expect(log.lines.map { $0.metadata["order"] } == (1...6).map { "\($0)" })
            #expect(log.lines.allSatisfy { $0.metadata["request"] == "r1" })
            #expect(log.lines[0].metadata["url"] == "\(origin.url.origin)/p?token=…")
            #expect(!"\(log.lines)".contains("canary"))

            origin.inject(.status(503))
            let quiet = RecordedLog()
            let silent: Chain<Void, Answer> = patient.log(exclude: ["RequestSenderNode"]).build()
            _ = try await silent(ChainContext(requestID: "r2", logger: quiet.logger))
            #expect(quiet.lines.map(\.message) == ["request will be tried again", "request succeeded"])
            #expect(origin.requests.map(\.line) == Array(repeating: "GET /p?token=canary", count: 4))
        }
    }
}

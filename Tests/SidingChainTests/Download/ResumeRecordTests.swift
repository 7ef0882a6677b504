// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting
import Testing

/// What lies on disk between two tries: the part, and the record of how far it can be relied on.
@Suite struct ResumeRecordTests {
    private static let ten = [UInt8](0..<10)
    private static let rest = [UInt8](4..<10)

    @Test func `bytes beyond the record are not relied on`() async throws {
        let bench = try DownloadBench([.whole(Self.ten, cut: 4), .part(Self.rest, range: "bytes 4-9/10")])
        _ = try await bench.failure()
        try bench.write([0, 1, 2, 3, 0, 0, 0], to: try #require(bench.part))
        _ = try await bench.download()
        #expect(bench.bytes() == Self.ten)
    }

    @Test func `a failed request does not make the record speak of more`() async throws {
        let offline = DownloadBench.Answer(failure: Failure(.noInternetConnection, phase: .notSent))
        let bench = try DownloadBench([.whole(Self.ten, cut: 4), offline, .part(Self.rest, range: "bytes 4-9/10")])
        _ = try await bench.failure()
        try bench.write([0, 1, 2, 3, 0, 0, 0], to: try #require(bench.part))
        _ = try await bench.failure()
        _ = try await bench.download()
        #expect(bench.bytes() == Self.ten)
    }

    @Test func `a part that is shorter than its record starts anew`() async throws {
        let bench = try DownloadBench([.whole(Self.ten, cut: 4), .whole(Self.ten)])
        _ = try await bench.failure()
        try bench.write([0, 1, 2], to: try #require(bench.part))
        _ = try await bench.download()
        #expect(bench.asked.last?[.range] == nil)
        #expect(bench.bytes() == Self.ten)
    }

    @Test(arguments: ["", "{", "[]", #"{"version":2}"#, String(repeating: "x", count: 100_000)])
    func `a record that cannot be read starts anew`(_ text: String) async throws {
        let bench = try DownloadBench([.whole(Self.ten, cut: 4), .whole(Self.ten)])
        _ = try await bench.failure()
        try bench.write(Array(text.utf8), to: try #require(bench.record))
        _ = try await bench.download()
        #expect(bench.asked.last?[.range] == nil)
        #expect(bench.names == ["map.bin"])
    }

    @Test func `a record without its part, and a part without its record, start anew`() async throws {
        let bench = try DownloadBench([
            .whole(Self.ten, cut: 4), .whole(Self.ten, cut: 4), .whole(Self.ten),
        ])
        _ = try await bench.failure()
        try FileManager.default.removeItem(atPath: try #require(bench.part))
        _ = try await bench.failure()
        try FileManager.default.removeItem(atPath: try #require(bench.record))
        _ = try await bench.download()
        #expect(bench.asked.allSatisfy { $0[.range] == nil })
        #expect(bench.names == ["map.bin"])
    }

    @Test func `parts left behind can be removed`() async throws {
        let bench = try DownloadBench([.whole(Self.ten, cut: 4), .whole(Self.ten)])
        _ = try await bench.failure()
        try await FileDestination(bench.path).discardPart()
        #expect(bench.names.isEmpty)
        _ = try await bench.download()
        #expect(bench.asked.last?[.range] == nil)
    }

    @Test func `a program that is killed keeps what a checkpoint brought to disk`() async throws {
        let block = [UInt8](repeating: 7, count: 1 << 20)
        let gate = Gate()
        let directory = try TemporaryDirectory()
        let served = Counter()
        let body = ReplyBody(length: 40 << 20) { () async throws(Failure) -> [UInt8]? in
            guard served.next() <= 20 else {
                await gate.pass()
                throw Failure(.cancelled, phase: .answered)
            }
            return block
        }
        let url = try HTTPURL("http://a/map")
        let wrapped = Step<RequestDraft, ChainResponse<ReplyBody?>> { _, _ throws(Failure) in
            ChainResponse(response: HTTPResponse(status: .ok, headerFields: [.eTag: "\"1\""]), body: body, url: url)
        }
        let node = FileDownloadNode(wrapped, to: FileDestination(directory.path(of: "x")))
        async let failure = node.failure(try DownloadBench.draft())
        await gate.reached()
        // The files as a kill at this moment would leave them.
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        let record = try #require(names.first { $0.hasSuffix(".resume") })
        let contents = try #require(FileManager.default.contents(atPath: directory.path(of: record)))
        let text = String(decoding: contents, as: UTF8.self)
        #expect(text.contains(#""bytes":16777216"#))
        gate.open()
        #expect(try await failure?.reason == .cancelled)
    }
}

// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting
import Testing

@Suite struct FileDownloadNodeTests {
    static let ten = [UInt8](0..<10)

    @Test func `a whole answer becomes the file, private, with nothing beside it`() async throws {
        let bench = try DownloadBench([.whole(Self.ten)])
        let file = try await bench.download()
        #expect(bench.bytes() == Self.ten)
        #expect(bench.names == ["map.bin"])
        #expect(try bench.mode(bench.path) == 0o600)
        #expect(file.path == bench.path)
        #expect(file.bytes == 10)
        #expect(file.resumedBytes == 0)
        #expect(file.response.status == .ok)
        #expect(file.url.path == "/map")
        #expect(bench.node().steps.first?.hasPrefix("FileDownloadNode(RequestCreatorNode") == true)
    }

    @Test func `bytes are requested uncompressed, without a range`() async throws {
        let bench = try DownloadBench([.whole(Self.ten)])
        _ = try await bench.download()
        #expect(bench.asked.first?[.acceptEncoding] == "identity")
        #expect(bench.asked.first?[.range] == nil)
        #expect(bench.asked.first?[.ifRange] == nil)
    }

    @Test func `until it is whole, the file is not there, and the old one stays`() async throws {
        let bench = try DownloadBench([.whole(Self.ten, cut: 4), .whole(Self.ten, cut: 9, fields: [:])])
        try bench.write([42], to: bench.path)
        _ = try await bench.failure()
        #expect(bench.bytes() == [42])
        #expect(bench.names.count == 3)
        #expect(try bench.mode(bench.part) == 0o600)
        #expect(try bench.mode(bench.record) == 0o600)
        _ = try await bench.failure()
        #expect(bench.bytes() == [42])
    }

    @Test func `other permissions are set on request`() async throws {
        let bench = try DownloadBench([.whole(Self.ten)])
        _ = try await bench.node(FileDestination(bench.path, permissions: 0o644)).process(DownloadBench.draft(), .test)
        #expect(try bench.mode(bench.path) == 0o644)
    }

    @Test func `the name is the caller's, not the origin's`() async throws {
        let disposition = try #require(HTTPField.Name("Content-Disposition"))
        let bench = try DownloadBench([
            .whole(
                Self.ten, fields: [disposition: "attachment; filename=\"../../evil\"", .contentLocation: "/etc/passwd"])
        ])
        _ = try await bench.download("http://a/..%2F..%2Fevil")
        #expect(bench.names == ["map.bin"])
    }

    @Test(arguments: ["CON", "a b", "x.part", "ü", String(repeating: "n", count: 255), "…\u{202E}", "-rf", "a\nb"])
    func `every name that the caller chooses is the name`(_ name: String) async throws {
        let bench = try DownloadBench([.whole(Self.ten, cut: 5), .part([5, 6, 7, 8, 9], range: "bytes 5-9/10")])
        let node = bench.node(FileDestination(bench.directory.path(of: name)))
        #expect(await node.failure(try DownloadBench.draft())?.reason == .truncated)
        _ = try await node.process(DownloadBench.draft(), .test)
        #expect(bench.names == [name])
        #expect(bench.bytes(bench.directory.path(of: name)) == Self.ten)
    }

    @Test func `an empty file is a file`() async throws {
        let bench = try DownloadBench([.whole([])])
        #expect(try await bench.download().bytes == 0)
        #expect(bench.bytes() == [])
    }

    @Test func `a file larger than any buffer arrives as it is`() async throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let chunks = stride(from: 0, to: bytes.count, by: 70_001).map {
            Array(bytes[$0..<min($0 + 70_001, bytes.count)])
        }
        let bench = try DownloadBench([.init(chunks: chunks, length: bytes.count)])
        _ = try await bench.download()
        #expect(bench.bytes() == bytes)
    }

    // MARK: Answers that are no file

    @Test(arguments: [400, 404, 416, 500, 503]) func `a status other than a success is never stored`(_ status: Int)
        async throws
    {
        let bench = try DownloadBench([.init(status: status, chunks: [[1]], length: 1)])
        // Without the node that sends errors off: the page of an error must not become the file all the same.
        let bare = RequestCreatorNode().then(RequestSenderNode(bench.transport)).then(ResponseDataPreprocessorNode())
        let failure = await FileDownloadNode(bare, to: FileDestination(bench.path)).failure(try DownloadBench.draft())
        guard case .http(let answer) = failure?.reason else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(answer.status == status)
        #expect(bench.names.isEmpty)
    }

    @Test(arguments: [202, 204, 205, 304]) func `an answer that brings no file is a failure`(_ status: Int) async throws
    {
        let bench = try DownloadBench([.status(status)])
        let failure = try #require(try await bench.failure())
        #expect(failure.reason == .contract)
        #expect(failure.detail?.contains("\(status)") == true)
        #expect(bench.names.isEmpty)
    }

    @Test func `an answer that just ends is refused, unless it is allowed to`() async throws {
        let endless = DownloadBench.Answer(chunks: [[1, 2]])
        let bench = try DownloadBench([endless, endless])
        #expect(try await bench.failure()?.reason == .contract)
        #expect(bench.names.isEmpty)
        let lenient = bench.node(requiresDeclaredLength: false)
        #expect(try await lenient.process(DownloadBench.draft(), .test).bytes == 2)
    }

    @Test func `chunks say where they end, and so do compressed bytes with a length`() async throws {
        let bench = try DownloadBench([
            .init(fields: [.transferEncoding: "chunked"], chunks: [[1, 2]]),
            .init(fields: [.contentLength: "99", .contentEncoding: "gzip"], chunks: [[3]]),
        ])
        #expect(try await bench.download().bytes == 2)
        #expect(try await bench.download().bytes == 1)
    }

    @Test(arguments: [(9, Failure.Reason.truncated), (11, .protocolViolation)])
    func `another number of bytes than declared is a failure`(_ count: Int, _ reason: Failure.Reason) async throws {
        let bench = try DownloadBench([
            .init(chunks: [[UInt8](repeating: 1, count: count)], length: 10)
        ])
        #expect(try await bench.failure()?.reason == reason)
        #expect(bench.bytes() == nil)
    }

    @Test(arguments: [
        (Failure(.connectionLost, phase: .maybeSent), Failure.Reason.truncated),
        (Failure(.system(.established(errno: 104)), phase: .answered), .truncated),
        (Failure(.timeout(.response), phase: .answered), .timeout(.response)),
        (Failure(.cancelled, phase: .answered), .cancelled),
    ])
    func `a body that breaks off keeps its reason, and counts as answered`(
        _ ending: Failure, _ reason: Failure.Reason
    ) async throws {
        let bench = try DownloadBench([.whole(Self.ten, cut: 4, ending: ending)])
        let failure = try #require(try await bench.failure())
        #expect(failure.reason == reason)
        #expect(failure.phase == .answered)
        #expect(failure.url == "http://a/map?token=…")
        #expect(bench.partBytes == [0, 1, 2, 3])
    }

    // MARK: Quota

    @Test(arguments: [true, false]) func `more than the quota is refused, declared or not, and removed`(
        _ isDeclared: Bool
    ) async throws {
        let fields: HTTPFields = [.eTag: "\"v1\"", .transferEncoding: "chunked"]
        let answer = DownloadBench.Answer(
            fields: fields, chunks: Self.ten.map { [$0] }, length: isDeclared ? 10 : nil)
        let bench = try DownloadBench([answer, answer])
        #expect(await bench.node(limit: 9).failure(try DownloadBench.draft())?.reason == .tooLarge(limit: 9))
        #expect(bench.names.isEmpty)
        #expect(try await bench.node(limit: 10).process(DownloadBench.draft(), .test).bytes == 10)
    }

    // MARK: Places

    @Test func `an unusable place is reported before any request`() async throws {
        let bench = try DownloadBench([])
        try bench.write([1], to: bench.directory.path(of: "file"))
        let places: [(String, String)] = [
            ("", "not a path of a file"), ("\(bench.directory.path)/", "not a path of a file"),
            ("x/..", "not a path of a file"),
            ("a\0b", "not a path of a file"), (bench.directory.path, "is a directory"),
            (bench.directory.path(of: "none/x"), "its directory must exist"),
            (bench.directory.path(of: "file/x"), "its directory must exist"),
            (bench.directory.path(of: String(repeating: "d", count: 300) + "/x"), "name too long"),
            ("/proc/x", "/proc/"),
        ]
        for (path, words) in places {
            let failure = try #require(await bench.node(FileDestination(path)).failure(try DownloadBench.draft()))
            #expect(failure.reason == .invalidRequest, "\(failure)")
            #expect(failure.phase == .notSent)
            #expect(failure.detail?.lowercased().contains(words) == true, "\(failure)")
            #expect(failure.node == "FileDownloadNode")
        }
        #expect(bench.asked.isEmpty)
    }

    @Test func `a link that was planted in the way is not followed`() async throws {
        let bench = try DownloadBench([.whole(Self.ten, cut: 5), .whole(Self.ten)])
        _ = try await bench.failure()
        let part = try #require(bench.part)
        let victim = bench.directory.path(of: "victim")
        try bench.write([1], to: victim)
        try FileManager.default.removeItem(atPath: part)
        try FileManager.default.createSymbolicLink(atPath: part, withDestinationPath: victim)
        let failure = try #require(try await bench.failure())
        #expect(failure.reason == .invalidRequest)
        #expect(failure.detail?.contains("symbolic link") == true)
        #expect(bench.bytes(victim) == [1])

        try FileManager.default.removeItem(atPath: part)
        try FileManager.default.linkItem(atPath: victim, toPath: part)
        #expect(try await bench.failure()?.reason == .invalidRequest, "a second name is no better")
        #expect(bench.bytes(victim) == [1])
    }

    @Test func `a link under the final name is replaced, not followed`() async throws {
        let bench = try DownloadBench([.whole(Self.ten)])
        let victim = bench.directory.path(of: "victim")
        try bench.write([1], to: victim)
        try FileManager.default.createSymbolicLink(atPath: bench.path, withDestinationPath: victim)
        _ = try await bench.download()
        #expect(bench.bytes(victim) == [1])
        #expect(bench.bytes() == Self.ten)
    }

    @Test func `of two downloads to one place at a time the second fails`() async throws {
        let gate = Gate()
        let directory = try TemporaryDirectory()
        let destination = FileDestination(directory.path(of: "x"))
        let first = FileDownloadNode(
            DownloadBench.chain(AborterNodeTests.Stalling(.ok, gate)), to: destination)
        async let file = first.process(DownloadBench.draft(), .test)
        await gate.reached()
        let bench = try DownloadBench([.whole(Self.ten)])
        let failure = try #require(await bench.node(destination).failure(try DownloadBench.draft("http://b/other")))
        #expect(failure.reason == .invalidRequest)
        #expect(failure.detail?.contains("another download") == true)
        #expect(bench.asked.isEmpty)
        await #expect(throws: Failure.self) { try await destination.discardPart() }
        gate.open()
        #expect(try await file.bytes == 1)
        #expect(bench.bytes(destination.path) == [7])
        _ = try await bench.node(destination).process(DownloadBench.draft(), .test)
        #expect(bench.bytes(destination.path) == Self.ten)
    }

    @Test func `many downloads to one place at once leave one whole file`() async throws {
        let bench = try DownloadBench((1...40).map { .whole([UInt8](repeating: $0, count: 1000)) })
        let (node, draft) = (bench.node(), try DownloadBench.draft())
        let done = await withTaskGroup(of: Bool.self) { group in
            for _ in 1...40 { group.addTask { (try? await node.process(draft, .test)) != nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(done >= 1)
        #expect(bench.asked.count == done)
        #expect(bench.names == ["map.bin"])
        #expect(Set(bench.bytes() ?? []).count == 1)
    }
}

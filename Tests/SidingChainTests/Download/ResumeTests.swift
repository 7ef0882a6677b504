// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting
import Testing

@Suite struct ResumeTests {
    static let ten = [UInt8](0..<10)
    static let rest = [UInt8](4..<10)

    @Test func `the next call requests the rest only, on condition, and the file is whole`() async throws {
        let bench = try DownloadBench([.whole(Self.ten, cut: 4), .part(Self.rest, range: "bytes 4-9/10")])
        #expect(try await bench.failure()?.reason == .truncated)
        let file = try await bench.download()
        #expect(bench.asked.map { $0[.range] } == [nil, "bytes=4-"])
        #expect(bench.asked.map { $0[.ifRange] } == [nil, "\"v1\""])
        #expect(bench.asked.allSatisfy { $0[.acceptEncoding] == "identity" })
        #expect(bench.bytes() == Self.ten)
        #expect(bench.names == ["map.bin"])
        #expect(file.bytes == 10)
        #expect(file.resumedBytes == 4)
    }

    @Test func `the download resumes after every break, within one call by retries`() async throws {
        let bench = try DownloadBench(
            [.whole(Self.ten, cut: 1)]
                + (1...8).map { .part(Array(Self.ten[$0...]), range: "bytes \($0)-9/10", cut: 1) }
                + [.part([9], range: "bytes 9-9/10")])
        let policy = RetryPolicy(retries: 20, backoff: Backoff(base: .zero))
        _ = try await bench.node().retry(policy).process(DownloadBench.draft(), .test)
        #expect(bench.asked.map { $0[.range] } == [nil] + (1...9).map { "bytes=\($0)-" })
        #expect(bench.bytes() == Self.ten)
    }

    @Test func `a changed file is downloaded anew`() async throws {
        let other = [UInt8](100..<103)
        let bench = try DownloadBench([
            .whole(Self.ten, cut: 4), .whole(other, fields: [.eTag: "\"v2\""]),
        ])
        _ = try await bench.failure()
        let file = try await bench.download()
        #expect(bench.bytes() == other)
        #expect(file.resumedBytes == 0)
    }

    @Test func `a changed file that breaks off is resumed as the new one`() async throws {
        let bench = try DownloadBench([
            .whole(Self.ten, cut: 8), .whole(Self.ten.reversed(), cut: 3, fields: [.eTag: "\"v2\""]),
            .part([6, 5, 4, 3, 2, 1, 0], range: "bytes 3-9/10", fields: [.eTag: "\"v2\""]),
        ])
        _ = try await bench.failure()
        _ = try await bench.failure()
        _ = try await bench.download()
        #expect(bench.asked.map { $0[.ifRange] } == [nil, "\"v1\"", "\"v2\""])
        #expect(bench.bytes() == Self.ten.reversed())
    }

    @Test func `a date that is old enough serves where there is no tag`() async throws {
        let fields: HTTPFields = [
            .lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", .date: "Sun, 06 Nov 1994 08:49:38 GMT",
        ]
        let bench = try DownloadBench([
            .whole(Self.ten, cut: 4, fields: fields), .part(Self.rest, range: "bytes 4-9/10", fields: fields),
        ])
        _ = try await bench.failure()
        _ = try await bench.download()
        #expect(bench.asked.last?[.ifRange] == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(bench.bytes() == Self.ten)
    }

    @Test func `a part of a file whose date has changed is not used for the new one`() async throws {
        let fields: HTTPFields = [
            .lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", .date: "Sun, 06 Nov 1994 08:49:38 GMT",
        ]
        let changed: HTTPFields = [.lastModified: "Mon, 07 Nov 1994 08:49:37 GMT", .eTag: "\"v2\""]
        let bench = try DownloadBench([
            .whole(Self.ten, cut: 4, fields: fields), .part(Self.rest, range: "bytes 4-9/10", fields: changed),
            .whole(Self.ten),
        ])
        _ = try await bench.failure()
        #expect(try await bench.failure()?.reason == .protocolViolation)
        _ = try await bench.download()
        #expect(bench.asked.last?[.range] == nil)
        #expect(bench.bytes() == Self.ten)
    }

    static let unreliable: [HTTPFields] = [
        [:], [.eTag: "W/\"v1\""], [.eTag: "v1"], [.eTag: "\""],
        [.eTag: "W/\"v1\"", .lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", .date: "Mon, 07 Nov 1994 08:49:37 GMT"],
        [.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", .date: "Sun, 06 Nov 1994 08:49:37 GMT"],
        [.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"], [.lastModified: "yesterday", .date: "today"],
        [.eTag: "\"v1\"", .acceptRanges: "none"], [.eTag: "\"v1\"", .contentEncoding: "gzip"],
    ]

    @Test(arguments: unreliable)
    func `an answer without a validator is not resumed, and leaves nothing behind`(_ fields: HTTPFields) async throws {
        let bench = try DownloadBench([.whole(Self.ten, cut: 4, fields: fields), .whole(Self.ten, fields: fields)])
        _ = try await bench.failure()
        #expect(bench.names.isEmpty)
        _ = try await bench.download()
        #expect(bench.asked.last?[.range] == nil)
        #expect(bench.bytes() == Self.ten)
    }

    @Test func `only GET is resumed`() async throws {
        let bench = try DownloadBench([.whole(Self.ten, cut: 4), .whole(Self.ten)])
        _ = try await bench.failure("http://a/map", .post)
        #expect(bench.names.isEmpty)
        _ = try await bench.download("http://a/map", .post)
        #expect(bench.asked.last?[.range] == nil)
    }

    @Test func `a part of another address is not completed from this one`() async throws {
        let bench = try DownloadBench([.whole(Self.ten, cut: 4), .whole(Self.ten)])
        _ = try await bench.failure("http://a/map?key=1")
        _ = try await bench.download("http://a/map?key=2")
        #expect(bench.asked.last?[.range] == nil)
        #expect(bench.bytes() == Self.ten)
    }

    @Test func `the record holds no secret`() async throws {
        let bench = try DownloadBench([.whole(Self.ten, cut: 4)])
        _ = try await bench.failure()
        let record = try #require(bench.recordText)
        #expect(record.contains(#""url":"http://a/map?token=…""#))
        #expect(record.contains(#""bytes":4"#))
        #expect(record.contains(#""total":10"#))
        #expect(!record.contains("canary"))
    }

    @Test func `a request that fails before an answer leaves the part as it was`() async throws {
        let offline = DownloadBench.Answer(failure: Failure(.noInternetConnection, phase: .notSent))
        let bench = try DownloadBench([.whole(Self.ten, cut: 4), offline, .part(Self.rest, range: "bytes 4-9/10")])
        _ = try await bench.failure()
        #expect(try await bench.failure()?.reason == .noInternetConnection)
        _ = try await bench.download()
        #expect(bench.bytes() == Self.ten)
    }

    @Test(
        arguments: [
            .status(202), .status(204), .status(207), .status(226), .status(301), .status(304), .status(403),
            .status(404), .status(429), .status(500), .status(503), .status(507),
            .init(failure: Failure(.connectionLost, phase: .maybeSent)),
            .init(failure: Failure(.timeout(.total), phase: .maybeSent)),
        ] as [DownloadBench.Answer])
    func `an answer without a file leaves the part for the next try`(_ answer: DownloadBench.Answer) async throws {
        let bench = try DownloadBench([.whole(Self.ten, cut: 4), answer, .part(Self.rest, range: "bytes 4-9/10")])
        _ = try await bench.failure()
        #expect(try await bench.failure() != nil)
        #expect(bench.partBytes == Array(Self.ten.prefix(4)))
        #expect(try await bench.download().resumedBytes == 4)
        #expect(bench.asked.map { $0[.range] } == [nil, "bytes=4-", "bytes=4-"])
        #expect(bench.bytes() == Self.ten)
    }

    @Test func `a first answer without a file leaves nothing`() async throws {
        let bench = try DownloadBench([.status(202)])
        #expect(try await bench.failure()?.reason == .contract)
        #expect(bench.names.isEmpty)
    }

    @Test func `a first request that fails leaves nothing`() async throws {
        let bench = try DownloadBench([.init(failure: Failure(.noInternetConnection, phase: .notSent))])
        _ = try await bench.failure()
        #expect(bench.names.isEmpty)
    }

    // MARK: Parts that do not fit

    static let misfits: [DownloadBench.Answer] = [
        .part(rest, range: "bytes 3-8/10"), .part(rest, range: "bytes 5-10/11"), .part(rest, range: "bytes 4-9/11"),
        .part(rest, range: "bytes 4-9/9"), .part(rest, range: "bytes 4-10/*"), .part(rest, range: "bytes 4-9"),
        .part(rest, range: "bytes 9-4/10"), .part(rest, range: "items 4-9/10"), .part(rest, range: "bytes */10"),
        .part(rest, range: "bytes 4-9/10", fields: [.eTag: "\"v2\""]), .part(rest, range: "bytes 4-8/10"),
        .part(rest, range: "bytes 4-9/10", fields: [.eTag: "\"v1\"", .contentEncoding: "gzip"]),
        .init(status: 206, chunks: [rest], length: 6),
        .init(status: 206, fields: [.contentType: "multipart/byteranges; boundary=x"], chunks: [rest], length: 6),
    ]

    @Test(arguments: misfits)
    func `a part other than the requested one is a failure, and the next try starts anew`(
        _ misfit: DownloadBench.Answer
    ) async throws {
        let bench = try DownloadBench([.whole(Self.ten, cut: 4), misfit, .whole(Self.ten)])
        _ = try await bench.failure()
        let failure = try #require(try await bench.failure())
        #expect(failure.reason == .protocolViolation)
        #expect(failure.phase == .answered)
        #expect(failure.detail?.contains("starts anew") == true)
        #expect(bench.names.isEmpty)
        _ = try await bench.download()
        #expect(bench.asked.last?[.range] == nil)
        #expect(bench.bytes() == Self.ten)
    }

    @Test func `a part without a range request is a failure`() async throws {
        let bench = try DownloadBench([.part(Self.ten, range: "bytes 0-9/10")])
        #expect(try await bench.failure()?.reason == .protocolViolation)
    }

    @Test func `a part that ends early is followed by the next, until the file is whole`() async throws {
        let bench = try DownloadBench([
            .whole(Self.ten, cut: 4), .part([4, 5], range: "bytes 4-5/10"), .part([6], range: "bytes 6-6/10"),
            .part([7, 8, 9], range: "bytes 7-9/10"),
        ])
        _ = try await bench.failure()
        #expect(try await bench.download().resumedBytes == 4)
        #expect(bench.asked.map { $0[.range] } == [nil, "bytes=4-", "bytes=6-", "bytes=7-"])
        #expect(bench.bytes() == Self.ten)
    }

    @Test func `where the size is unknown, requests continue until nothing is left`() async throws {
        var cut = DownloadBench.Answer.whole(Self.ten, cut: 4)
        cut.length = nil
        cut.fields[.transferEncoding] = "chunked"
        let bench = try DownloadBench([
            cut, .part(Self.rest, range: "bytes 4-9/*"), .status(416, [.contentRange: "bytes */10"]),
        ])
        _ = try await bench.failure()
        #expect(try await bench.download().bytes == 10)
        #expect(bench.asked.last?[.range] == "bytes=10-")
        #expect(bench.bytes() == Self.ten)
    }
}

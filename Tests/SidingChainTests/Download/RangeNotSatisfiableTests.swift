// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting
import Testing

/// What a 416 says to who asks for the rest of a file (RFC 9110 §15.5.17).
@Suite struct RangeNotSatisfiableTests {
    private static let ten = [UInt8](0..<10)

    @Test func `where all bytes are stored, a 416 with the same size completes the file`() async throws {
        let handle = CallHandle()
        let bench = try DownloadBench([
            .whole(Self.ten, cut: 10), .status(416, [.contentRange: "bytes */10", .eTag: "\"v1\""]),
        ])
        #expect(try await bench.failure()?.reason == .truncated)
        let file = try await bench.node().process(
            DownloadBench.draft("http://a/map?token=canary"), ChainContext(requestID: "1", handle: handle))
        #expect(bench.asked.last?[.range] == "bytes=10-")
        #expect(bench.bytes() == Self.ten)
        #expect(bench.names == ["map.bin"])
        #expect(file.response.status == .rangeNotSatisfiable)
        #expect(file.resumedBytes == 10)
        #expect(await TransferProgressTests.first(of: handle.downloadProgress)?.fraction == 1)
    }

    @Test(
        arguments: [
            ["bytes */9"], ["bytes */11"], ["bytes */*"], ["nonsense"], [nil], ["bytes */10", "\"v2\""],
        ] as [[String?]])
    func `every other 416 starts anew, once, in the same call`(_ said: [String?]) async throws {
        var fields: HTTPFields = [:]
        fields[.contentRange] = said[0]
        if said.count > 1 { fields[.eTag] = said[1] }
        let bench = try DownloadBench([
            .whole(Self.ten, cut: 10), .status(416, fields), .whole(Self.ten.reversed()),
        ])
        _ = try await bench.failure()
        _ = try await bench.download()
        #expect(bench.asked.map { $0[.range] } == [nil, "bytes=10-", nil])
        #expect(bench.bytes() == Self.ten.reversed())
    }

    @Test(arguments: [10, nil]) func `a 416 with another size than lies here completes nothing`(_ total: Int?)
        async throws
    {
        var cut = DownloadBench.Answer.whole(Self.ten, cut: 4)
        cut.length = total
        cut.fields[.transferEncoding] = "chunked"
        let bench = try DownloadBench([cut, .status(416, [.contentRange: "bytes */10"]), .whole(Self.ten)])
        _ = try await bench.failure()
        #expect(try await bench.download().resumedBytes == 0)
        #expect(bench.asked.map { $0[.range] } == [nil, "bytes=4-", nil])
        #expect(bench.bytes() == Self.ten)
    }

    @Test func `a 416 for the whole file is a failure`() async throws {
        let bench = try DownloadBench([.whole(Self.ten, cut: 4), .status(416), .status(416)])
        _ = try await bench.failure()
        #expect(try await bench.failure()?.reason == .http(HTTPFailure(status: 416)))
        #expect(bench.asked.count == 3)
    }
}

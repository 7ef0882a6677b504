// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import HTTPTypes
import SidingChain
import SidingNodes
import SidingSynchronization
import SidingTesting
import Testing
import TestSupport

/// A disk that is really full: a small file system of its own, which takes root to mount.
@Suite(.enabled(if: Proof.length != .short && geteuid() == 0))
struct FullDiskTests {
    @Test func `a full disk is reported with its path, and with room the download continues`() async throws {
        let directory = try TemporaryDirectory()
        try #require(mount("tmpfs", directory.path, "tmpfs", 0, "size=600k") == 0)
        defer { umount2(directory.path, Int32(MNT_DETACH)) }
        let ballast = directory.path(of: "ballast")
        try Data(repeating: 1, count: 200_000).write(to: URL(filePath: ballast))

        let bytes = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let rest = Array(bytes[262_144...])
        let bench = try DownloadBench([
            .init(chunks: [Array(bytes[..<262_144]), rest], length: 500_000),
            .part(rest, range: "bytes 262144-499999/500000"),
        ])
        let node = bench.node(FileDestination(directory.path(of: "x")))
        let failure = try #require(await node.failure(try DownloadBench.draft()))
        #expect(failure.reason == .localResource)
        #expect(failure.phase == .answered)
        #expect(failure.detail?.contains("\(directory.path)/.x.") == true)
        #expect(failure.detail?.contains("No space left on device") == true)

        try FileManager.default.removeItem(atPath: ballast)
        _ = try await node.process(DownloadBench.draft(), .test)
        #expect(bench.asked.last?[.range] == "bytes=262144-")
        #expect(bench.bytes(directory.path(of: "x")) == bytes)
    }
}

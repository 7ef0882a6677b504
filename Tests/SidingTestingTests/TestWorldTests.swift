// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import SidingChain
import SidingTesting
import Testing

@Suite struct TestWorldTests {
    @Test func `a temporary directory is the caller's own and is deleted with its last reference`() throws {
        var directory: TemporaryDirectory? = try TemporaryDirectory()
        let path = try #require(directory?.path)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        try Data("x".utf8).write(to: URL(filePath: try #require(directory?.path(of: "file"))))
        directory = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a temporary directory can be removed early`() throws {
        let directory = try TemporaryDirectory()
        try directory.remove()
        #expect(!FileManager.default.fileExists(atPath: directory.path))
    }

    @Test func `two temporary directories are two`() throws {
        #expect(try TemporaryDirectory().path != TemporaryDirectory().path)
    }

    @Test func `connectivity answers as set and counts its lookups`() {
        let connectivity = TestConnectivity()
        #expect(connectivity.hasUsableRoute())
        connectivity.set(hasUsableRoute: false)
        #expect(!connectivity.hasUsableRoute())
        #expect(connectivity.lookups == 2)
    }

    @Test func `seeded jitter is the same on every run`() {
        let (one, other) = (Jitter.seeded(7), Jitter.seeded(7))
        let waits = (0..<100).map { _ in one.spread(.seconds(10)) }
        #expect(waits == (0..<100).map { _ in other.spread(.seconds(10)) })
        #expect(Set(waits).count == 100)
        #expect(waits.allSatisfy { (.zero..<Duration.seconds(10)).contains($0) })
    }
}

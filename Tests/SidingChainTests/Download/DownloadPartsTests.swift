// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingSynchronization
import Testing

@testable import SidingNodes

/// The parts of a download that no answer can show by itself.
@Suite struct DownloadPartsTests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
                + "nopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        (
            String(repeating: "a", count: 1000),
            "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"
        ),
    ])
    func `digests are those of FIPS 180-4`(_ text: String, _ digest: String) {
        #expect(SHA256.hexadecimal(text) == digest)
    }

    /// From SHA256ShortMsg.rsp of NIST's Cryptographic Algorithm Validation Program.
    @Test(
        arguments: [
            ([0xD3], "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1"),
            ([0x11, 0xAF], "5ca7133fa735326081558ac312c620eeca9970d1e70a4b95533d956f072d1f98"),
            ([0xB4, 0x19, 0x0E], "dff2e73091f6c05e528896c4c831b9448653dc2ff043528f6769437bc7b975c2"),
        ] as [([UInt8], String)])
    func `digests of bytes are those of NIST's vectors`(_ bytes: [UInt8], _ digest: String) {
        #expect(SHA256.hexadecimal(bytes) == digest)
    }

    /// The expected digest is that of another implementation, Python's hashlib.
    @Test func `digests are right for every length of message around the borders of blocks`() {
        var digest = ""
        for length in 0..<200 {
            digest = SHA256.hexadecimal((0..<length).map { UInt8(truncatingIfNeeded: $0 * 7) } + Array(digest.utf8))
        }
        #expect(digest == "75399f7064cd5909d618a22cb7870985154199ec532cdd60771d58af3458a85f")
    }

    @Test(
        arguments: [
            ("bytes 5-9/10", 5...9, 10), ("bytes 5-9/*", 5...9, nil), ("bytes */10", nil, 10),
            ("Bytes  0-0/1", 0...0, 1),
        ] as [(String, ClosedRange<Int64>?, Int64?)])
    func `a range is read`(_ value: String, _ bounds: ClosedRange<Int64>?, _ total: Int64?) throws {
        let range = try #require(ContentRange(value))
        #expect(range.bounds == bounds)
        #expect(range.total == total)
    }

    @Test(arguments: [
        "", "bytes", "bytes 5-9", "bytes 9-5/10", "bytes 5-10/10", "bytes */*", "bytes -5/10", "bytes 5-/10",
        "bytes 5-9/10/11", "bytes 5 - 9/10", "items 5-9/10", "bytes +5-9/10", "bytes 5-9/-1", "bytes ٥-٩/١٠",
        "bytes 0-9223372036854775807/*", "bytes 0-99999999999999999999/*", "bytes *-9/10",
    ])
    func `a range that cannot be true is not read`(_ value: String) {
        #expect(ContentRange(value) == nil)
    }

    @Test func `names of 255 bytes have hidden names of their own, short enough`() throws {
        let long = String(repeating: "é", count: 127)
        let (one, other) = (
            try DownloadPaths(FileDestination("/d/\(long)a")), try DownloadPaths(FileDestination("/d/\(long)b"))
        )
        #expect(one.part != other.part)
        #expect(one.recordDraft.utf8.count - 3 <= 255)
        #expect(one.directory == "/d")
        #expect(try DownloadPaths(FileDestination("x")).directory == ".")
        #expect(try DownloadPaths(FileDestination("x")).part.hasPrefix(".x."))
        let accent = try DownloadPaths(FileDestination("/d/\u{301}x"))
        #expect(accent.part.utf8.starts(with: "/d/.".utf8), "a slash is a slash, whatever stands behind it")
    }

    @Test(arguments: [ENOSPC, EDQUOT, EFBIG, EIO, EMFILE, ENFILE, ENOMEM])
    func `an exhausted resource is a local failure, and names the path`(_ code: Int32) {
        let failure = Disk.failure(code, "write to", "/d/x")
        #expect(failure.reason == .localResource)
        #expect(failure.detail?.hasPrefix("cannot write to '/d/x': ") == true)
    }

    @Test(arguments: [EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG])
    func `a place that cannot be used is the caller's, and names the path`(_ code: Int32) {
        let failure = Disk.failure(code, "create", "/d/x")
        #expect(failure.reason == .invalidRequest)
        #expect(failure.detail?.hasPrefix("cannot create '/d/x': ") == true)
    }

    @Test func `a path of any length leaves room for the error`() {
        let failure = Disk.failure(ENOSPC, "write to", "/" + String(repeating: "d", count: 4000))
        #expect(failure.detail?.contains("No space left on device; make room and try again") == true)
    }

    @Test func `settings for downloads differ in size, time and the origins of redirects alone`() {
        let settings = TransportSettings().with(\.idleTimeout, .seconds(7)).with(\.concurrency, 2)
        var expected = settings
        (expected.maxBody, expected.totalTimeout, expected.redirectOrigins) = (5, .seconds(86_400), nil)
        #expect(settings.forDownloads(upTo: 5) == expected)
    }
}

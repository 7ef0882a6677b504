// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting
import Testing

/// Files in multipart bodies: read from disk in chunks, and never sent as something that they are not.
@Suite struct MultipartFileTests {
    static let chunk = 256 << 10
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A file of `size` bytes that do not repeat at any chunk's length.
    private func file(_ name: String = "f.bin", size: Int) throws -> (path: String, content: Data) {
        let pattern = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        var content = Data(capacity: size)
        while content.count < size { content.append(contentsOf: pattern.prefix(size - content.count)) }
        let path = directory.path(of: name)
        try content.write(to: URL(filePath: path))
        return (path, content)
    }

    private func body(_ paths: String...) async throws -> MultipartBody {
        var form = MultipartForm()
        for path in paths { form.append(file: path, name: "f") }
        return try await MultipartEncoder(boundary: .fixed("B")).encode(form)
    }

    private func stream(_ body: MultipartBody) throws -> @Sendable () async throws -> [UInt8]? {
        guard case .stream(_, let chunks) = body.requestBody else { throw Failure(.internalFault, phase: .notSent) }
        return chunks()
    }

    @Test func `a file of 64 MiB is sent in chunks of at most 256 KiB that sum to the declared length`() async throws {
        let (path, content) = try file(size: 64 << 20)
        let body = try await body(path)
        let head =
            "--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f.bin\"\r\n"
            + "Content-Type: application/octet-stream\r\n\r\n"
        let tail = "\r\n--B--\r\n"
        #expect(body.length == head.utf8.count + content.count + tail.utf8.count)
        let next = try stream(body)
        var expected = Data(head.utf8) + content + Data(tail.utf8)
        var sent = 0
        while let chunk = try await next() {
            #expect(!chunk.isEmpty && chunk.count <= Self.chunk)
            try #require(Data(chunk) == expected.prefix(chunk.count))
            expected = expected.dropFirst(chunk.count)
            sent += chunk.count
        }
        #expect(sent == body.length)
    }

    @Test(arguments: [0, 1, chunk - 200, chunk - 1, chunk, chunk + 1, 2 * chunk])
    func `every length is exact, and each attempt gives the same bytes`(_ size: Int) async throws {
        let (path, content) = try file(size: size)
        let body = try await body(path, path)
        let first = try await body.requestBody.chunks()
        #expect(first.allSatisfy { $0.count <= Self.chunk })
        #expect(first.dropLast().allSatisfy { $0.count == Self.chunk })
        let whole = first.flatMap { $0 }
        #expect(whole.count == body.length)
        #expect(try await body.requestBody.collected() == whole)
        #expect(Data(whole).ranges(of: content).count >= (size == 0 ? 0 : 2))
        #expect(try await self.body(path, path).requestBody.collected() == whole)
    }

    @Test func `attempts at the same time do not share a place in the file`() async throws {
        let (path, _) = try file(size: 3 * Self.chunk)
        let body = try await body(path)
        let (one, other) = (try stream(body), try stream(body))
        var (first, second): ([UInt8], [UInt8]) = ([], [])
        while let chunk = try await one() {
            first += chunk
            second += try await other() ?? []
        }
        #expect(first == second)
        #expect(first.count == body.length)
    }

    @Test func `data in memory is cut into chunks as well`() async throws {
        var form = MultipartForm()
        form.append(data: [UInt8](repeating: 7, count: 3 * Self.chunk), name: "d")
        for index in 0..<1000 { form.append(field: "n", value: "\(index)") }
        let chunks = try await MultipartEncoder().encode(form).requestBody.chunks()
        #expect(chunks.dropLast().allSatisfy { $0.count == Self.chunk })
        #expect(chunks.count == 4)
    }

    @Test func `an unusable file is found before anything is sent`() async throws {
        let missing = directory.path(of: "none.txt")
        let folder = directory.path(of: "folder")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let pipe = directory.path(of: "pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let (real, _) = try file(size: 1)
        let cases = [
            (missing, "is not there"), (real + "/x", "is not there"), (folder, "is a directory"),
            (pipe, "is not a regular file"), ("/dev/null", "is not a regular file"), (real + "\u{0}", "is not there"),
            ("", "is not there"),
            (directory.path(of: "\(String(repeating: "n", count: 5000))"), "cannot be read: File name too long"),
        ]
        for (path, words) in cases {
            let failure = await failure { try await body(path) }
            #expect(failure?.reason == .invalidRequest)
            #expect(failure?.phase == .notSent)
            #expect(failure?.detail?.hasSuffix("for the field 'f' \(words)") == true, "\(path): \(failure as Any)")
            if path != "/dev/null" { #expect(try descriptors(of: path) == 0) }
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may read all files"))
    func `a file that may not be read is named`() async throws {
        let (path, _) = try file(size: 1)
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
        let failure = await failure { try await body(path) }
        #expect(failure?.reason == .invalidRequest)
        #expect(failure?.detail?.hasSuffix("may not be read by this process") == true)
    }

    @Test func `the node names the request that a missing file belongs to`() async throws {
        var form = MultipartForm()
        form.append(file: directory.path(of: "none"), name: "f")
        let failure = try await RequestEncoderNode<MultipartForm>().failure(of: form)
        #expect(failure?.node == "RequestEncoderNode")
        #expect(failure?.method == "POST")
        #expect(failure?.url == "http://a/p")
    }

    @Test(arguments: [-1, 1, -700_000, 700_000])
    func `a file that changes its size breaks the stream off, and for good`(_ change: Int) async throws {
        let (path, content) = try file(size: 4 * Self.chunk)
        let next = try stream(try await body(path))
        #expect(try await next()?.count == Self.chunk)
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.truncate(atOffset: UInt64(content.count + change))
        try handle.close()
        var sent = Self.chunk
        let broken = await failure {
            while let chunk = try await next() { sent += chunk.count }
        }
        #expect(broken?.reason == .invalidRequest)
        #expect(broken?.phase == .maybeSent)
        #expect(broken?.detail?.hasSuffix("changed its size while it was sent") == true)
        #expect(sent < 4 * Self.chunk)
        // Not even the old size mends it: what was sent so far may be of another file.
        try content.write(to: URL(filePath: path))
        #expect(await failure { try await next() }?.detail == broken?.detail)
    }

    @Test func `a file that was deleted or replaced before the next attempt is not sent as the old one`() async throws {
        let (path, _) = try file(size: 10)
        let body = try await body(path)
        #expect(try await body.requestBody.collected().count == body.length)
        try Data("longer than it was".utf8).write(to: URL(filePath: path))
        #expect(await failure { try await body.requestBody.collected() }?.phase == .maybeSent)
        try FileManager.default.removeItem(atPath: path)
        #expect(
            await failure { try await body.requestBody.collected() }?.detail?.hasSuffix("is not there") == true)
    }

    @Test func `a stream that breaks ends the request with the file's failure`() async throws {
        let (path, _) = try file(size: 10)
        var form = MultipartForm()
        form.append(file: path, name: "f")
        let draft = try await RequestEncoderNode<MultipartForm>().process(
            RequestDraft.test().with(body: form), .test)
        try FileManager.default.removeItem(atPath: path)
        let chain = RequestCreatorNode().then(RequestSenderNode(ScriptedTransport([.text("{}")])))
        let failure = await chain.failure(draft)
        #expect(failure?.reason == .invalidRequest)
        #expect(failure?.node == "RequestSenderNode")
    }

    @Test func `a stream that is given up closes its file`() async throws {
        let (path, _) = try file(size: 2 * Self.chunk)
        let body = try await body(path)
        #expect(try descriptors(of: path) == 0)
        do {
            let next = try stream(body)
            _ = try await next()
            #expect(try descriptors(of: path) == 1)
        }
        // The queue lets go of the stream just after it has answered.
        var looks = 0
        while try descriptors(of: path) > 0, looks < 10_000 {
            looks += 1
            await Task.yield()
        }
        #expect(try descriptors(of: path) == 0)
        _ = try await body.requestBody.collected()
        #expect(try descriptors(of: path) == 0)
    }

    /// How many descriptors this process holds on `path` (proc(5)).
    private func descriptors(of path: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) == path
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import SidingSynchronization
import SidingTesting
import Testing

@Suite struct FileSystemTests {
    @Test(arguments: [
        ("a", "", "a", "."), ("/a", "/", "a", "/"), ("/a/b", "/a/", "b", "/a"), ("a/", "a/", "", "a"),
        ("", "", "", "."),
        ("/a/\u{301}b", "/a/", "\u{301}b", "/a"),
    ])
    func `a path is split at its last slash, also where an accent follows it`(
        _ path: String, _ directory: String, _ name: String, _ parent: String
    ) {
        #expect(FileSystem.split(path) == (directory, name))
        #expect(FileSystem.parent(of: path) == parent)
    }

    @Test func `a replaced file is whole and its owner's alone, and no draft stays`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "a")
        try Data("old".utf8).write(to: URL(filePath: path))
        try FileSystem.replace(path, with: Array("new".utf8))
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("new".utf8))
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)

        let taken = directory.path(of: "taken")
        #expect(mkdir(taken, 0o700) == 0)
        #expect(throws: SystemError(EISDIR)) { try FileSystem.replace(taken, with: [1]) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["a", "taken"])
    }

    @Test(arguments: [(0, 0), (3, 3), (70_000, 70_000)])
    func `a file is read to its end, but not beyond the limit`(_ count: Int, _ limit: Int) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "a")
        try FileSystem.replace(path, with: [UInt8](repeating: 7, count: count))
        func read(upTo limit: Int) throws -> Int? {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            defer { close(descriptor) }
            return try FileSystem.readAll(from: descriptor, upTo: limit)?.count
        }
        #expect(try read(upTo: limit) == count)
        #expect(try count == 0 || read(upTo: limit - 1) == nil)
    }
}

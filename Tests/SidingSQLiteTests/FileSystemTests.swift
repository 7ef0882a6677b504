// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingSynchronization
import Testing

struct FileSystemTests {
    private let scratch = Scratch()

    private func write(_ text: String, to name: String) throws {
        try text.write(toFile: scratch.file(name), atomically: false, encoding: .utf8)
    }

    private func move(_ link: (String, String) -> Int32) throws {
        try FileSystem.moveWithoutReplacing(scratch.file("draft"), to: scratch.file("target"), link: link)
    }

    /// vfat and exFAT refuse with EPERM, others with EOPNOTSUPP or ENOSYS.
    @Test(arguments: [0, EPERM, EOPNOTSUPP, ENOSYS])
    func `a finished file gets its name and replaces none, also where there are no hard links`(code: Int32) throws {
        let call: (String, String) -> Int32 = { draft, target in
            guard code != 0 else { return link(draft, target) }
            errno = code
            return -1
        }
        try write("first", to: "draft")
        try move(call)
        #expect(scratch.names == ["target"])
        try write("second", to: "draft")
        #expect(throws: SystemError(EEXIST)) { try move(call) }
        #expect(scratch.names == ["draft", "target"])
        #expect(try String(contentsOfFile: scratch.file("target"), encoding: .utf8) == "first")
    }

    @Test func `a link in the place of the file is not replaced`() throws {
        symlink("/nowhere", scratch.file("target"))
        try write("first", to: "draft")
        #expect(throws: SystemError(EEXIST)) {
            try move { _, _ in
                errno = EPERM
                return -1
            }
        }
        #expect(scratch.names == ["draft", "target"])
    }

    @Test func `a file system has free bytes, and a place that is not there has none`() throws {
        #expect(try #require(FileSystem.freeBytes(at: scratch.path)) > 0)
        #expect(FileSystem.freeBytes(at: scratch.file("nothing")) == nil)
    }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// The C library has one import, so that a build with another one changes one file.
@Suite struct CLibraryTests {
    @Test func `one file of the library and of the command imports the C library`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        var importers: [String] = []
        for folder in ["CLI", "Migrations", "Sources"] {
            let files = try #require(
                FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil))
            for case let file as URL in files where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                if text.contains(/import (?:Glibc|Musl)\b/) { importers.append(file.lastPathComponent) }
            }
        }
        #expect(importers == ["CLibrary.swift"])
    }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// The C library has another name in a build with musl.
@Suite struct CLibraryTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test func `one file alone imports the C library of the platform by its name`() throws {
        var found: [String] = []
        for folder in ["Sources", "CLI", "Migrations", "Examples", "Benchmarks", "Tests"] {
            let files = FileManager.default.enumerator(
                at: Self.root.appending(path: folder), includingPropertiesForKeys: nil)
            for file in files?.allObjects as? [URL] ?? [] where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                guard text.contains(/(?m)^ *(?:[@\w]+ )*import (?:Glibc|Musl)\b/) else { continue }
                found.append(file.lastPathComponent)
            }
        }
        #expect(found == ["CLibrary.swift"])
    }
}

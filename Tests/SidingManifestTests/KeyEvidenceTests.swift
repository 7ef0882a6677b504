// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// A new key is not done before something shows what it does: reading it is not enough.
@Suite struct KeyEvidenceTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The file for each key.
    private static let files: [(key: String, file: String)] = {
        var file = ""
        return KeyEvidence.text.split(separator: "\n").compactMap { line in
            if line.hasPrefix("  ") { return (line.trimmingCharacters(in: .whitespaces), file) }
            file = String(line)
            return nil
        }
    }()

    @Test func `each key of the config is listed with the file that shows what it does, once`() throws {
        let keys = try ConfigKeys.all()
        #expect(keys.count > 150)
        let listed = Self.files.map(\.key)
        #expect(keys.subtracting(listed).sorted() == [], "name the file of a test in KeyEvidence")
        #expect(Set(listed).subtracting(keys).sorted() == [])
        #expect(listed.count == Set(listed).count)
    }

    @Test func `each file that is listed is there, and speaks of its keys`() throws {
        for (key, file) in Self.files {
            let text = try String(contentsOf: Self.root.appending(path: file), encoding: .utf8)
            let name = key.split(separator: ".").last { $0 != "NAME" }?.replacing("[]", with: "") ?? ""
            let words = name.split(separator: "_").map(String.init)
            // As the config writes it, or as a property of the library.
            let property = words.prefix(1).joined() + words.dropFirst().map(\.capitalized).joined()
            #expect(text.contains(name) || text.contains(property), "\(key) in \(file)")
        }
    }
}

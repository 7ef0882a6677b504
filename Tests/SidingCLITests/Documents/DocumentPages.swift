// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The pages of the documentation, by their paths below the repository.
enum DocumentPages {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Every page and its text.
    static func all() throws -> [String: String] {
        let files = FileManager.default.enumerator(at: root.appending(path: "Docs"), includingPropertiesForKeys: nil)
        let documents = (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "md" }
        let tops = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"].map { root.appending(path: $0) }
        var pages: [String: String] = [:]
        for file in documents + tops {
            let path = file.standardizedFileURL.path.dropFirst(root.standardizedFileURL.path.count)
            pages[path.trimmingPrefix("/").description] = try String(contentsOf: file, encoding: .utf8)
        }
        return pages
    }
}

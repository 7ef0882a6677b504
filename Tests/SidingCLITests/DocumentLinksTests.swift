import Foundation
import Testing

/// The links between the documents.
@Suite struct DocumentLinksTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Every page of the documentation, by its path below the repository.
    private static func pages() throws -> [String: String] {
        var pages: [String: String] = [:]
        let files = FileManager.default.enumerator(at: root.appending(path: "Docs"), includingPropertiesForKeys: nil)
        let documents = (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "md" }
        let tops = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"].map { root.appending(path: $0) }
        for file in documents + tops {
            let path = file.standardizedFileURL.path.dropFirst(root.standardizedFileURL.path.count)
            pages[path.trimmingPrefix("/").description] = try String(contentsOf: file, encoding: .utf8)
        }
        return pages
    }

    /// The anchors that GitHub gives the headings of a page.
    private static func anchors(_ page: String) -> Set<String> {
        var isCode = false
        var anchors: Set<String> = []
        for line in page.split(separator: "\n") {
            if line.hasPrefix("```") { isCode.toggle() }
            guard !isCode, let heading = line.firstMatch(of: /^#+ (.*)$/)?.1 else { continue }
            let kept = heading.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
            anchors.insert(kept.replacing(" ", with: "-"))
        }
        return anchors
    }

    @Test func `every link between the documents leads to a file and a heading`() throws {
        let pages = try Self.pages()
        let anchors = pages.mapValues(Self.anchors)
        #expect(pages.count > 30)
        for (path, page) in pages {
            for line in page.split(separator: "\n") where line.contains("](") {
                for match in line.matches(of: /\]\(([^)#\s]*)(?:#([^)\s]*))?\)/) where !match.1.contains(":") {
                    let target = match.1.isEmpty ? path : Self.resolve(String(match.1), from: path)
                    let exists = FileManager.default.fileExists(atPath: Self.root.appending(path: target).path)
                    #expect(exists, "\(path): \(match.1)")
                    guard let anchor = match.2, let anchors = anchors[target] else { continue }
                    #expect(anchors.contains(String(anchor)), "\(path): \(match.1)#\(anchor)")
                }
            }
        }
    }

    /// `link` below the directory of the page at `path`.
    private static func resolve(_ link: String, from path: String) -> String {
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for part in link.split(separator: "/") {
            if part == ".." { _ = parts.popLast() } else { parts.append(String(part)) }
        }
        return parts.joined(separator: "/")
    }
}

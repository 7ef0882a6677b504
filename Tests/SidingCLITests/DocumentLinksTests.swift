// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// The links between the documents.
@Suite struct DocumentLinksTests {
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
        let pages = try DocumentPages.all()
        let anchors = pages.mapValues(Self.anchors)
        #expect(pages.count > 30)
        for (path, page) in pages {
            for line in page.split(separator: "\n") where line.contains("](") {
                for match in line.matches(of: /\]\(([^)#\s]*)(?:#([^)\s]*))?\)/) where !match.1.contains(":") {
                    let target = match.1.isEmpty ? path : Self.resolve(String(match.1), from: path)
                    let exists = FileManager.default.fileExists(atPath: DocumentPages.root.appending(path: target).path)
                    #expect(exists, "\(path): \(match.1)")
                    guard let anchor = match.2, let anchors = anchors[target] else { continue }
                    #expect(anchors.contains(String(anchor)), "\(path): \(match.1)#\(anchor)")
                }
            }
        }
    }

    @Test func `every suite of tests that a document names exists`() throws {
        let files = FileManager.default.enumerator(atPath: DocumentPages.root.appending(path: "Tests").path)
        let suites = Set(
            (files?.allObjects as? [String] ?? []).map { URL(filePath: $0).deletingPathExtension().lastPathComponent })
        for (path, page) in try DocumentPages.all() {
            for match in page.matches(of: /`([A-Z][A-Za-z]+Tests)`/) {
                #expect(suites.contains(String(match.1)), "\(path): \(match.1)")
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

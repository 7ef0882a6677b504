// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// Holds the public types of the modules for programs to the documents: a type that no document names is not for programs.
@Suite struct PublicTypesTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Names that `AsyncSequence` requires inside a type.
    private static let requirements: Set = ["Element", "Failure", "AsyncIterator"]

    @Test(arguments: [
        ("SidingChain", 50), ("SidingNodes", 40), ("Siding", 50), ("SidingModels", 20), ("SidingManifest", 5),
        ("SidingHub", 5), ("SidingService", 4), ("SidingHTTP", 3), ("SidingSchedule", 3),
    ])
    func `every public type is named in a document`(_ module: String, atLeast: Int) throws {
        let types = try Self.publicTypes(of: module)
        #expect(types.count >= atLeast)
        let named = try Self.namesInDocuments.get()
        #expect(types.filter { !named.contains($0) }.sorted() == [])
    }

    @Test(arguments: [
        "Siding", "SidingChain", "SidingCredentials", "SidingHTTP", "SidingJSON", "SidingModels", "SidingNetwork",
        "SidingNodes", "SidingSchedule",
    ])
    func `every public type is in a topic of its module's DocC page`(_ module: String) throws {
        let page = Self.root.appending(path: "Sources/\(module)/\(module).docc/\(module).md")
        let topics = try String(contentsOf: page, encoding: .utf8).matches(of: /- ``(?:\w+\/)*(\w+)``/).map {
            String($0.1)
        }
        let types = try Self.publicTypes(of: module).filter { !$0.contains(".") }
        #expect(types.filter { !topics.contains($0) }.sorted() == [])
    }

    /// The names of the public types, those inside of others with a dot: `Failure.Reason`.
    private static func publicTypes(of module: String) throws -> Set<String> {
        let folder = root.appending(path: "Sources/\(module)")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects as? [URL]
        var types: Set<String> = []
        for file in try #require(files) where file.pathExtension == "swift" {
            // The declarations around the present line, by their indentation.
            var around: [(indentation: Int, name: String)] = []
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                guard let match = line.wholeMatch(of: Self.declaration) else { continue }
                around.removeAll { $0.indentation >= match.1.count }
                let name = (around.map(\.name) + [String(match.4)]).joined(separator: ".")
                if match.3 != "typealias" { around.append((match.1.count, String(match.4))) }
                let isRequired = name.contains(".") && requirements.contains(String(match.4))
                if match.2.contains("public "), !isRequired { types.insert(name) }
            }
        }
        return types
    }

    nonisolated(unsafe) private static let declaration =
        /( *)((?:[a-z]+ )*)(struct|final class|class|enum|actor|protocol|typealias|extension) ([A-Z][\w.]*).*/

    /// The pages are read once for all modules.
    private static let namesInDocuments = Result { try readNamesInDocuments() }

    /// What README and Docs name in code. Paths of files are left out, as they say nothing to programs.
    private static func readNamesInDocuments() throws -> Set<String> {
        let documents = root.appending(path: "Docs")
        let pages =
            try FileManager.default.contentsOfDirectory(at: documents, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "md" } + [root.appending(path: "README.md")]
        var names: Set<String> = []
        for page in pages {
            var isFence = false
            for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") {
                if line.hasPrefix("```") { isFence.toggle() }
                let code = isFence ? [line] : line.matches(of: /`([^`]+)`/).map(\.1)
                for text in code where isFence || !text.contains("/") {
                    for match in text.matches(of: /[A-Z]\w*(?:\.[A-Z]\w*)*/) {
                        let parts = match.output.split(separator: ".")
                        for count in 1...parts.count { names.insert(parts.prefix(count).joined(separator: ".")) }
                    }
                }
            }
        }
        return names
    }
}

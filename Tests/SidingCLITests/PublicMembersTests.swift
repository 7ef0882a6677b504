// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// Holds the pages for programs to what programs can use: functions and properties that they name in code are public.
@Suite struct PublicMembersTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let modules = [
        "Siding", "SidingChain", "SidingCredentials", "SidingHTTP", "SidingHub", "SidingJSON", "SidingManifest",
        "SidingModels", "SidingNetwork", "SidingNodes", "SidingOrigin", "SidingSchedule", "SidingService",
        "SidingTesting",
    ]

    @Test(arguments: ["Docs/Embedding.md", "Docs/Chains.md", "README.md"])
    func `the members that a page for programs names are public`(_ path: String) throws {
        let page = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
        #expect(try Members.declared.get().hidden(in: page) == [])
    }

    @Test(
        arguments: [
            ("`.saved`, `StoreError.Kind`, `sync(_:options:)`, `siding.close()`, `DELETE`, `paginate`", []),
            ("| filters | `MiddlewareFilter`, `withoutMiddlewares` |", ["withoutMiddlewares"]),
            ("`request.checkedURL()`", ["checkedURL"]), ("`siding.syncEverything(_:)`", ["syncEverything"]),
            ("```swift\nlet url = request.checkedURL()\n```", []),
        ] as [(String, [String])])
    func `a member that programs cannot use is found`(_ page: String, _ hidden: [String]) throws {
        #expect(try Members.declared.get().hidden(in: page) == hidden)
    }

    @Test(arguments: modules)
    func `the comments of public declarations name public things`(_ module: String) throws {
        let members = try Members.declared.get()
        let comments = try #require(members.comments[module])
        #expect(members.hidden(in: comments, withTypes: true) == [])
    }

    /// The names of types, functions, properties and cases: those that programs see, and those that they see nowhere.
    private struct Members {
        private var open: Set<String> = []
        private var closed: Set<String> = []
        /// The comments of what is public, by module.
        private(set) var comments: [String: String] = [:]

        /// Read once, as there are many files.
        static let declared = Result { try Members(of: PublicMembersTests.modules) }

        /// Those of Swift's library, of other packages and of generic parameters that have namesakes here.
        private static let foreign: Set = ["CodingKeys", "Target", "bootstrap", "init", "seconds"]

        init(of modules: [String]) throws {
            for module in modules {
                let folder = PublicMembersTests.root.appending(path: "Sources/\(module)")
                let files =
                    FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects as? [URL]
                for file in try #require(files) where file.pathExtension == "swift" {
                    add(try String(contentsOf: file, encoding: .utf8), of: module)
                }
            }
            closed.subtract(open)
        }

        private mutating func add(_ source: String, of module: String) {
            // Whether the members of the present declaration are public without saying so.
            var isOpen = false
            var comment = ""
            for line in source.split(separator: "\n") {
                if line.first?.isWhitespace == false, !line.hasPrefix("}") {
                    isOpen = line.hasPrefix("public protocol") || line.hasPrefix("public extension")
                }
                let text = line.drop { $0 == " " }
                if text.hasPrefix("///") {
                    comment += "\(text.dropFirst(3).drop { $0 == " " })\n"
                    continue
                }
                if text.hasPrefix("case ") || text.hasPrefix("indirect case ") {
                    open.formUnion(text.matches(of: /(?:case |, )`?([a-z]\w*)/).map { String($0.1) })
                } else if let match = text.prefixMatch(of: Self.declaration) {
                    if isOpen || match.1.contains("public ") {
                        open.insert(String(match.3))
                        comments[module, default: ""] += comment
                    } else if !["var", "let", "init"].contains(match.2) || match.1.contains("package ") {
                        closed.insert(String(match.3))
                    }
                } else if text.hasPrefix("@") {
                    continue
                }
                comment = ""
            }
        }

        nonisolated(unsafe) private static let declaration =
            #/
            ((?:@\w+(?:\([^)]*\))?\s|[a-z]+(?:\(set\))?\s)*)
            (func|var|let|init|struct|class|enum|actor|protocol|typealias)\b\s?`?(\w*)
            /#

        /// The names in the code of a text that programs cannot use, in their order.
        func hidden(in page: String, withTypes: Bool = false) -> [String] {
            var isFence = false
            var hidden: [String] = []
            for line in page.split(separator: "\n") {
                if line.hasPrefix("```") { isFence.toggle() }
                guard !isFence else { continue }
                for span in line.matches(of: /`([^`]+)`/).map(\.1) {
                    hidden += Self.names(in: span, withTypes: withTypes).filter(closed.contains)
                    // What looks like the name of a function has to be one.
                    if let name = span.wholeMatch(of: /(?:[\w.]*\.)?([a-z]\w*)\((?:\w+:)*\)/)?.1 {
                        if !open.contains(String(name)), !hidden.contains(String(name)) { hidden.append(String(name)) }
                    }
                }
            }
            return hidden.filter { !Self.foreign.contains($0) }
        }

        /// What is called, follows a dot, or is one word that no command and no key of a config is.
        private static func names(in span: Substring, withTypes: Bool) -> [String] {
            var forms = [/(?:^|[ .(])([a-z]\w*)\(/, /[\w)]\.([a-z]\w*)/, /^\.([a-z]\w*)/, /^([a-z]\w*[A-Z]\w*)$/]
            // Not `Content-Type`.
            if withTypes { forms += [/^([A-Z]\w*[a-z]\w*)(?![-\w])/, /[.\/]([A-Z]\w*)/] }
            var names: [String] = []
            for form in forms {
                for match in span.matches(of: form) where !names.contains(String(match.1)) {
                    names.append(String(match.1))
                }
            }
            return names
        }
    }
}

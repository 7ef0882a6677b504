// SPDX-License-Identifier: Apache-2.0
internal import Yams

/// Parses YAML into a tree whose nodes know their positions, within limits that no text can exceed.
///
/// Limits: 1,000 levels inside libyaml, ``YAMLTree/maximumHeight`` and ``YAMLTree/maximumSize`` in the tree. Aliases and
/// merge keys are resolved here instead of in Yams, which would hash and compare their expansions.
package struct YAMLDocument {
    /// Each renaming composes the text again; beyond this number of bytes only the first remaining duplicate is reported.
    private static let renamingBudget = 4 << 20

    private var text: SourceText
    package private(set) var faults: [Fault] = []
    /// Nil if the text is empty or not valid YAML.
    package private(set) var root: YAMLNode?

    package init(_ text: String, file: String) {
        self.text = SourceText(text, file: file)
        if let stray = self.text.strayCharacter {
            let code = String(stray.scalar.value, radix: 16, uppercase: true)
            let name = "U+" + String(repeating: "0", count: max(0, 4 - code.count)) + code
            faults.append(Fault(place: stray.place, message: "the character \(name) may not stand in YAML"))
            return
        }
        self.text.hideAliases()
        compose()
    }

    private mutating func compose() {
        var work = 0
        while true {
            let composed = text.text
            work += composed.utf8.count
            do {
                let parser = try Parser(yaml: composed, resolver: .basic, encoding: .utf8)
                guard let node = try parser.singleRoot() else { return }
                var tree = YAMLTree(text: text)
                root = tree.root(node)
                faults += tree.faults
                // Anchors are held weakly by the nodes and strongly by the parser.
                withExtendedLifetime(parser) {}
                return
            } catch YamlError.duplicatedKeysInMapping(let names, let context) {
                let place = Place(file: text.file, line: context.mark.line, column: context.mark.column)
                let name = SourceText.restored(names.first ?? "")
                guard work < Self.renamingBudget, text.rename(keyAt: place, name: name) else {
                    faults.append(YAMLTree.duplicate(of: name, at: place, first: nil))
                    return
                }
            } catch {
                faults.append(YAMLSyntax.fault(error, in: text))
                return
            }
        }
    }
}

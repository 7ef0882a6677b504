// SPDX-License-Identifier: Apache-2.0
internal import SidingManifest

extension ConfigNode {
    /// A copy of `node` with its texts converted by `text`; nil if nothing is left.
    ///
    /// - Parameter text: returns the text to write, or nil after noting why it cannot be converted.
    static func copy(
        _ node: InputNode, _ imported: inout ImportedConfig,
        text: (InputNode, inout ImportedConfig) -> ConfigNode?
    ) -> ConfigNode? {
        var elements: [Origin] = []
        defer { imported.noteUnsupported(elements: elements) }
        return whole(node, &imported, depth: 0, text)?.withoutLost(&elements)
    }

    /// The copy with a lost value for each text that cannot be converted; nil for null.
    private static func whole(
        _ node: InputNode, _ imported: inout ImportedConfig, depth: Int,
        _ text: (InputNode, inout ImportedConfig) -> ConfigNode?
    ) -> ConfigNode? {
        guard depth < 40 else {
            imported.noteUnsupported(node.origin, "nested too deeply")
            return .lost(from: node.origin)
        }
        switch node.value.content {
        case .scalar(let word, let isPlain):
            if isPlain, isNumberOrTruth(word) { return ConfigNode(.scalar(word, isPlain: true), from: node.origin) }
            return node.isNull ? nil : text(node, &imported) ?? .lost(from: node.origin)
        case .list:
            let items = (node.items ?? []).compactMap { whole($0, &imported, depth: depth + 1, text) }
            return ConfigNode(.list(items), from: node.origin)
        case .map:
            var map = ConfigMap(from: node.origin)
            for member in node.members {
                let isSecret =
                    member.node.isScalar
                    ? SecretWords.isSecret(member.name, member.node.text ?? "")
                    : SecretWords.holdsSecrets(member.name)
                if isSecret {
                    imported.noteUnsupported(
                        member.node.origin, "a secret inside a value is not copied",
                        hint: "siding.yaml has secrets only in 'auth'")
                    map.set(member.name, .lost(from: member.node.origin))
                } else {
                    map.set(member.name, whole(member.node, &imported, depth: depth + 1, text))
                }
            }
            return map.node
        }
    }

    static func isNumberOrTruth(_ word: String) -> Bool {
        word == "true" || word == "false" || word.wholeMatch(of: /-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?/) != nil
    }
}

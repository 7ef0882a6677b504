// SPDX-License-Identifier: Apache-2.0
internal import SidingManifest

/// Derives a cursor's type from its first value.
enum CursorStart {
    /// The type of a cursor with the value `text`.
    static func type(of text: String, isNumber: Bool) -> String {
        if isNumber || text.wholeMatch(of: /[0-9]{1,18}/) != nil { return "integer" }
        if text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.]+(Z|[+-][0-9:]+)?)?/) != nil { return "datetime" }
        return "text"
    }

    /// `text` in the form of that type: a date becomes its midnight.
    static func text(_ text: String, _ type: String) -> String {
        type == "datetime" && text.wholeMatch(of: /[0-9-]{10}/) != nil ? text + "T00:00:00Z" : text
    }
}

extension YAMLNode {
    /// Whether it is a number without quotes.
    var isPlainNumber: Bool {
        guard case .scalar(let text, isPlain: true) = content else { return false }
        return text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?/) != nil
    }

    /// A map at the same position with these members.
    func replacingEntries(_ members: [(name: String, node: InputNode)]) -> YAMLNode {
        YAMLNode(
            place, .map(members.map { YAMLEntry(name: $0.name, place: $0.node.value.place, value: $0.node.value) }))
    }
}

extension ConfigNode {
    /// A failure rule such as `{ when: { status: 404 }, do: ignore, on: fetch }`.
    static func rule(statuses: [Int], do action: String, from origin: Origin, body: ConfigNode? = nil) -> ConfigNode {
        var (when, rule) = (ConfigMap(from: origin), ConfigMap(from: origin))
        let numbers = statuses.map { ConfigNode.number($0, from: origin) }
        if let only = numbers.first {
            when.set("status", (numbers.count == 1 ? only : ConfigNode(.list(numbers), from: origin)).essential)
        }
        when.set("body", body?.essential)
        rule.set("when", when.node.essential)
        rule.set("do", ConfigNode.text(action, from: origin).essential)
        rule.set("on", .text("fetch", from: origin))
        return rule.node
    }
}

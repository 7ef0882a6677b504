// SPDX-License-Identifier: Apache-2.0
/// A choice in a filter.
struct Menu: Sendable {
    struct Choice: Sendable {
        let value: String
        let text: String
        let isChosen: Bool
    }

    let name: String
    let label: String
    let choices: [Choice]

    /// - Parameters:
    ///   - all: the text of the choice that filters nothing.
    ///   - chosen: it is offered even if it is not among `values`.
    init(_ name: String, _ label: String, all: String, _ values: [(value: String, text: String)], chosen: String?) {
        (self.name, self.label) = (name, label)
        var values = values
        if let chosen, !values.contains(where: { $0.value == chosen }) { values.append((chosen, chosen)) }
        choices =
            [Choice(value: "", text: all, isChosen: chosen == nil)]
            + values.map { Choice(value: $0.value, text: $0.text, isChosen: $0.value == chosen) }
    }
}

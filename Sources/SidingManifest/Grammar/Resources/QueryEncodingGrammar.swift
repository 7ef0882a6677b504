// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

/// How Booleans and lists are written in the query: `query_encoding:`.
enum QueryEncodingGrammar {
    /// The two conventions of web frameworks. A list with commas is a text and needs none.
    enum Convention: String, Sendable, CaseIterable {
        /// Of PHP and Rails.
        case brackets
        /// Of the form style of OpenAPI.
        case plain

        var encoding: QueryEncoding {
            switch self {
            case .brackets: QueryEncoding()
            case .plain: QueryEncoding(bools: .asBool, arrays: .noBrackets)
            }
        }
    }

    static let type = {
        let choice = ValueType<Convention>.choice
        return ValueType<Convention>(choice.expected, schema: choice.schema) { node, reading in
            if case .map(let entries) = node.content {
                // Each of the removed members gets its message, and the map itself one only if it has others.
                let removed = entries.filter { reading.refuseRemovedKey($0) }
                if !removed.isEmpty, removed.count == entries.count { return nil }
            }
            return choice.read(node, &reading)
        }
    }()
}

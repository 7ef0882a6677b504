// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON

/// What an origin calls the records of one listing, such as `articles` in `$.articles` or at `/articles`: its totals and flags are
/// often named after them (`totalArticles`, `hasMoreArticles`).
struct RecordNames: Sendable, Hashable {
    /// Folded.
    private var names: [String] = []

    init() {}

    /// - Parameters:
    ///   - path: where the records are.
    ///   - url: where they were requested.
    ///   - resource: what the config calls them.
    init(path: JSONPath, url: HTTPURL?, resource: String?) {
        let members = path.components.compactMap { if case .member(let name) = $0 { name } else { nil } }
        let steps = url?.path.split(separator: "/").map { String($0.prefix { $0 != "." }) } ?? []
        names = [members, steps, [resource].compactMap(\.self)].compactMap(Self.last)
    }

    /// The last name that says more than `items`, `data` or `search`.
    private static func last(of names: [String]) -> String? {
        names.reversed().lazy.map { ExtentName($0) }.first { $0.meanings.isEmpty && !$0.isContainer }?.spelling
    }

    func contains(_ spelling: String) -> Bool { names.contains(spelling) }

    /// `spelling` with `records` in place of a name of the origin's own.
    ///
    /// A name without a final `s` may be that of an amount, as in `cost` and `total_cost`. A count is often named after one record:
    /// `release-count` beside `releases`.
    func generalized(_ spelling: String) -> [String] {
        names.filter { $0.hasSuffix("s") }.flatMap { name in
            [(name, "records"), (name.dropLast() + "count", "recordscount")].filter { spelling.contains($0.0) }.map {
                spelling.replacing($0.0, with: $0.1)
            }
        }
    }
}

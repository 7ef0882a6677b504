internal import SidingChain
internal import SidingJSON

/// What an origin calls the records of one listing, such as `articles` in `$.articles` or `/articles`: its totals and flags are
/// often named after them (`totalArticles`, `release-count`, `hasMoreUsers`).
struct RecordNouns: Sendable, Hashable {
    private var plurals: Set<String> = []
    private var singulars: Set<String> = []
    /// The words before the last one, such as `pull` in `pull_requests`.
    private var qualifiers: Set<String> = []

    /// No nouns of an own.
    init() {}

    /// - Parameters:
    ///   - path: where the records are.
    ///   - url: where they were requested.
    ///   - resource: what the config calls them.
    init(path: JSONPath, url: HTTPURL?, resource: String?) {
        let members = path.components.compactMap { component in
            if case .member(let name) = component { name } else { nil }
        }
        let steps = url?.path.split(separator: "/").map { String($0.prefix { $0 != "." }) } ?? []
        [Self.noun(in: members), Self.noun(in: steps), resource.map { ExtentName($0).words }]
            .compactMap(\.self).forEach { add($0) }
    }

    /// The words of the last name that says more than `items`, `data` or `search`.
    private static func noun(in names: [String]) -> [String]? {
        names.reversed().lazy.map { ExtentName($0).words }.first {
            $0.last.map { !ExtentName.known.contains($0) } ?? false
        }
    }

    private mutating func add(_ words: [String]) {
        guard let noun = words.last, !ExtentName.known.contains(noun) else { return }
        qualifiers.formUnion(words.dropLast().filter { !ExtentName.known.contains($0) })
        if Self.irregular.contains(noun) {
            plurals.insert(noun)
        } else if noun.hasSuffix("s") {
            plurals.insert(noun)
            singulars.insert(String(noun.dropLast()))
            if noun.hasSuffix("ies") { singulars.insert(noun.dropLast(3) + "y") }
            if noun.hasSuffix("es") { singulars.insert(String(noun.dropLast(2))) }
        } else {
            singulars.insert(noun)
            plurals.formUnion([noun + "s", noun + "es"])
            if noun.hasSuffix("y") { plurals.insert(noun.dropLast() + "ies") }
        }
    }

    private static let irregular: Set<String> = ["people", "children", "media"]

    /// Whether it is a word for the records.
    func contains(_ word: String) -> Bool { plurals.contains(word) || singulars.contains(word) }

    /// `words` with the general word for a record in place of the origin's own.
    ///
    /// A singular counts beside `count` alone: `order_total` is rather an amount, and `order_number` a name.
    func generalized(_ words: [String]) -> [String] {
        let isCounted = words.contains { ["count", "counts", "cnt"].contains($0) }
        var isNamed = false
        let general = words.map { word in
            guard plurals.contains(word) || (isCounted && singulars.contains(word)) else { return word }
            isNamed = true
            return "records"
        }
        return isNamed ? general.filter { !qualifiers.contains($0) } : words
    }
}

// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingInspection
import SidingJSON

/// A member that may be the key of records.
struct KeyCandidate {
    let path: JSONPath
    /// How likely its name is that of a key; 0 is the likeliest.
    private let rank: Int

    /// Whether its name does not say that it identifies records.
    var isGuess: Bool { rank > 2 }

    /// Why it is the key.
    func message(_ count: Int) -> String {
        let reason = count == 1 ? "there is one record" : "different in all \(MessageFormat.grouped(count)) records"
        return isGuess ? "\(reason); check that it identifies a record and never changes" : reason
    }

    /// The likeliest one that can be the key of all records: a text or whole number that is different in each.
    ///
    /// - Parameters:
    ///   - bytes: the page.
    ///   - path: where the records are.
    ///   - resource: the name of the resource.
    /// - Throws: a contract failure if there is none.
    static func best(
        of records: [RecordSlice], in bytes: [UInt8], at path: JSONPath, of resource: String, _ limits: JSONLimits
    ) throws(Failure) -> KeyCandidate {
        let first = records.first.flatMap { try? JSONDocument(Array(bytes[$0.range])) }
        guard let first else { throw Failure(.contract, phase: .answered, detail: "it has no records") }
        let candidates = all(in: first, resource).enumerated()
            .sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.prefix(limit).map(\.element)
        let key = candidates.first { candidate in
            let keys = keys(of: bytes, PageReader(records: path, key: [candidate.path], limits: limits))
            return keys.count == records.count
        }
        if let key { return key }
        throw Failure(
            .contract, phase: .answered,
            detail:
                "no member of its \(MessageFormat.count(records.count, "record")) is a text or whole number that is "
                + "different in each, so none can be the key")
    }

    /// How many candidates are tried: each costs a pass over the page.
    private static let limit = 50

    private static func keys(of bytes: [UInt8], _ reader: PageReader) -> Set<String> {
        bytes.withUnsafeBytes { page in
            let records = (try? reader.read(page).records) ?? []
            return Set(
                records.compactMap { record in
                    if case .key(let key) = record.outcome { key.text(in: page) } else { nil }
                })
        }
    }

    /// The scalars of a record, and those inside its objects that are named like an identifier: `$.node.id`.
    private static func all(in record: JSONDocument, _ resource: String) -> [KeyCandidate] {
        // No config can name a member with an empty name.
        (record.members ?? []).filter { !$0.name.isEmpty }.flatMap { name, value -> [KeyCandidate] in
            let path = JSONPath(member: name)
            guard let members = value.members else {
                return rank(of: name, value, resource).map { [KeyCandidate(path: path, rank: $0)] } ?? []
            }
            return members.compactMap { inner in
                guard let rank = rank(of: inner.name, inner.value, resource), rank < 2 else { return nil }
                return KeyCandidate(path: path.appending(.member(inner.name)), rank: 4)
            }
        }
    }

    private static let identifiers: Set<String> = ["uuid", "guid", "key", "identifier"]
    private static let names: Set<String> = [
        "number", "no", "code", "slug", "sku", "isbn", "ean", "name", "ref", "reference", "login", "symbol", "handle",
    ]

    /// Nil if the value can be no key.
    private static func rank(of name: String, _ value: JSONDocument, _ resource: String) -> Int? {
        // A time may be different in all records of a page by chance.
        guard value.kind == .number || value.string.map({ Timestamp(rfc3339: $0) == nil && !$0.isEmpty }) ?? false
        else {
            return nil
        }
        let word = name.lowercased().filter { $0.isLetter || $0.isNumber }
        if word == "id" { return 0 }
        if identifiers.contains(word) { return 1 }
        let noun = resource.lowercased().filter { $0.isLetter || $0.isNumber }
        if [noun, String(noun.dropLast())].contains(where: { word == "\($0)id" }) { return 2 }
        if names.contains(word) { return 3 }
        return word.hasSuffix("id") ? 5 : 6
    }
}

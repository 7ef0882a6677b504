// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import HTTPTypes
internal import SidingChain
internal import SidingCredentials
internal import SidingJSON
internal import SidingPaging

/// Everything about a resource that decides which records a listing has and what their keys are.
///
/// Listings and validators belong to the definition that they were made under. If it differs from the stored one, they are
/// discarded, and the next sync is an unconditional full listing.
package struct ResourceDefinition: Sendable, Hashable {
    /// The aspects, in a form that compares byte for byte.
    package let aspects: [DefinitionAspect: String]

    /// Where the records have their key; nil where it is made of several members, and ``JSONPath/memberName`` where it or a part
    /// of it stands in no record.
    var keyPath: JSONPath? {
        guard let key = aspects[.key] else { return nil }
        let isNamed = key.split(separator: "\n").contains { $0 == JSONPath.memberName.description }
        return isNamed ? .memberName : try? JSONPath(parsing: key)
    }

    package init(_ resource: AnyResource) {
        var aspects: [DefinitionAspect: String] = [
            .baseURL: resource.source.baseURL.description,
            .method: resource.method.rawValue,
            .path: resource.path,
            .query: resource.queryEncoding.encode(resource.query),
            .records: resource.records?.description ?? "",
            .key: resource.key.map(\.description).joined(separator: "\n"),
            .paginate: "\(resource.paging)",
            .headers: resource.source.askingFields,
            .auth: resource.source.authorization.account,
        ]
        if let cursor = resource.cursor {
            aspects[.cursor] = "\(cursor) \(cursor.type.rawValue) \(cursor.direction.rawValue) \(cursor.start ?? "")"
            // The order decided the high-water mark, and where listings ended.
            if let order = cursor.order { aspects[.cursor]?.append(" \(order.rawValue)") }
        }
        if let forEach = resource.forEach { aspects[.forEach] = forEach.text }
        let contract = resource.schema.contract
        if contract != RecordContract() { aspects[.contract] = contract.text }
        if let body = resource.searchBody { aspects[.body] = "\(body.encoding.rawValue) \(body.text)" }
        // A rule that ended listings too early left pages behind it that validators would hide.
        if let stop = resource.stop.definition { aspects[.stop] = stop }
        // Records that no page shows again would keep their state from the old mark.
        if let mark = resource.deletions.mark { aspects[.deletes] = mark.description }
        let transforms = resource.schema.transforms
        if let condition = transforms.condition {
            // The definitions of the columns that it names count too.
            let columns = condition.columns(among: resource.schema.columns)
                .map { "\($0.name) \($0.path) \($0.type.name) \($0.type.format ?? "")" }
            aspects[.where] = ([condition.description] + columns.sorted()).joined(separator: "\n")
        }
        if !transforms.dropped.isEmpty {
            aspects[.drop] = transforms.dropped.map(\.description).sorted().joined(separator: "\n")
        }
        self.aspects = aspects
    }

    /// A text that cannot be read differs from every definition, so that the next sync is a full listing and stores it again.
    init(stored text: String) {
        let stored = (try? JSONDecoder().decode([String: String].self, from: Data(text.utf8))) ?? [:]
        aspects = Dictionary(stored.map { (DefinitionAspect(rawValue: $0) ?? .other, $1) }) { $0 + $1 }
    }

    /// The stored form: one JSON object with sorted members.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let named = Dictionary(uniqueKeysWithValues: aspects.map { ($0.rawValue, $1) })
        return (try? encoder.encode(named)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// The aspects in which this definition differs from `other`, sorted by name.
    package func differences(from other: ResourceDefinition) -> [DefinitionAspect] {
        Set(aspects.keys).union(other.aspects.keys).filter { aspects[$0] != other.aspects[$0] }
            .sorted { $0.rawValue < $1.rawValue }
    }
}

/// What a ``ResourceDefinition`` consists of; the raw value is its name in the stored text and in messages.
package enum DefinitionAspect: String, Sendable {
    case auth, body, contract, cursor, deletes, drop, headers, key, method, paginate, path, query, records, stop
    case `where`
    case baseURL = "base_url"
    case forEach = "for_each"
    /// What another version of Siding has stored.
    case other
}

extension [DefinitionAspect] {
    /// The names, for messages.
    var names: String { map(\.rawValue).joined(separator: ", ") }
}

/// The identity of the requests belongs to the resource's definition: another tenant, account or API version has other records.
/// It includes everything that is not secret, so a renewed token does not change it.
extension Source {
    /// The header fields of requests, one per line, without secrets and `User-Agent`.
    var askingFields: String {
        headerFields.filter { field in
            let name = field.name.canonicalName
            return name != "user-agent" && field.name != authorization.field && !Self.isSecret(name)
        }
        .map { "\($0.name.canonicalName): \($0.value)" }.sorted().joined(separator: "\n")
    }

    /// Name parts of possible secrets; better one too many.
    private static let secretWords = [
        "auth", "cookie", "credential", "key", "pass", "secret", "session", "sign", "token",
    ]

    fileprivate static func isSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return Redaction.secretHeaderNames.contains(name) || Redaction.isSecret(memberName: name)
            || secretWords.contains { name.contains($0) }
    }
}

extension Authorization {
    /// The account without secrets, one item per line.
    var account: String {
        let words: [String] =
            switch self {
            case .none, .bearer, .refreshed: []
            case .basic(let user, _): [user.name]
            case .apiKeyHeader(let field, _): ["header", field.canonicalName]
            case .apiKeyQuery(let name, _): ["query", name]
            case .signIn(let signIn): signIn.account
            }
        return ([kind] + words).joined(separator: "\n")
    }
}

extension SignIn {
    fileprivate var account: [String] {
        switch grant {
        case .clientCredentials(let client), .refreshToken(let client, _): client.account
        case .session(let login): [String(login.path.prefix { $0 != "?" })] + login.body.account(named: "")
        case .command(let program, _): [program.description]
        }
    }
}

extension OAuthClient {
    fileprivate var account: [String] {
        [Redaction.url(tokenURL), id.name, scope ?? ""]
            + parameters.sorted { $0.key < $1.key }.compactMap { name, value in
                Source.isSecret(name) ? nil : "\(name)=\(value.name)"
            }
    }
}

extension LoginValue {
    /// The values whose names do not suggest a secret.
    fileprivate func account(named name: String) -> [String] {
        switch self {
        case .secret(let secret): ["\(name)=\(secret.name)"]
        case .integer(let number): ["\(name)=\(number)"]
        case .truth(let truth): ["\(name)=\(truth)"]
        case .members(let members):
            members.sorted { $0.key < $1.key }.filter { !Source.isSecret($0.key) }
                .flatMap { $0.value.account(named: name.isEmpty ? $0.key : "\(name)[\($0.key)]") }
        }
    }
}

extension Secret {
    /// Plain text as it is; for a secret only where it is stored.
    fileprivate var name: String { plainText ?? description }
}

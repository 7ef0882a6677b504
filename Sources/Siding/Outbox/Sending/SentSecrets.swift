internal import FoundationEssentials
internal import HTTPTypes
internal import SidingChain
internal import SidingSynchronization

/// The credentials that went out with a write, remembered while it is under way: an origin that repeats what it was asked
/// must not bring them into the store.
final class SentSecrets: Sendable {
    /// Shorter values are no credentials, and would be found where nothing is meant by them.
    private static let shortest = 6
    private static let mark = Array("…".utf8)

    private let values = Mutex<Set<String>>([])

    /// Notes what `request` carries beyond `own`, the fields that stand in the store and in the configuration.
    func note(_ request: HTTPRequest, beyond own: HTTPFields, secretQueryNames: Set<String>) {
        var found: Set<String> = []
        for field in request.headerFields where own[field.name] == nil {
            found.insert(field.value)
            // "Bearer abc": the scheme's name is no secret, what follows is one by itself.
            if let credential = field.value.split(separator: " ", maxSplits: 1).dropFirst().first {
                found.insert(String(credential))
                found.formUnion(Self.parts(ofBasic: String(credential)))
            }
            // "token=abc", as some origins want it.
            if let equals = field.value.firstIndex(of: "=") {
                found.insert(String(field.value[field.value.index(after: equals)...]))
            }
        }
        for parameter in QueryParameter.all(in: (request.path ?? "").drop { $0 != "?" }.dropFirst()) {
            guard secretQueryNames.contains(parameter.name), let value = parameter.value else { continue }
            found.formUnion([String(value), HTTPURL.decode(String(value))])
        }
        values.withLock { $0.formUnion(found.filter { $0.utf8.count >= Self.shortest }) }
    }

    /// What Basic credentials are made of (RFC 7617 §2): the pair, and the password; the user's name where that is empty, as
    /// it is the key then.
    static func parts(ofBasic credential: String) -> [String] {
        guard let data = Data(base64Encoded: credential), let pair = String(data: data, encoding: .utf8),
            let colon = pair.firstIndex(of: ":")
        else { return [] }
        let password = String(pair[pair.index(after: colon)...])
        return [pair, password.isEmpty ? String(pair[..<colon]) : password]
    }

    /// `bytes` without them, neither as they are nor as JSON writes them.
    func scrubbed(_ bytes: [UInt8]) -> [UInt8] {
        // The longest first: one may be a part of another.
        let secrets = values.withLock { $0.union($0.flatMap(Self.escaped)).sorted { $0.utf8.count > $1.utf8.count } }
        return secrets.reduce(bytes) { $0.replacing(Array($1.utf8), with: Self.mark) }
    }

    /// In a JSON string a quote and a backslash are escaped, and a solidus may be (RFC 8259 §7).
    private static func escaped(_ value: String) -> [String] {
        let must = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return [must, must.replacing("/", with: "\\/")]
    }
}

/// A transport that notes what credentials it is given to carry.
struct NotingTransport: Transport {
    let transport: any Transport
    let secrets: SentSecrets
    let own: HTTPFields
    let secretQueryNames: Set<String>

    func send(_ request: HTTPRequest, body: RequestBody) async throws(Failure) -> Reply {
        secrets.note(request, beyond: own, secretQueryNames: secretQueryNames)
        return try await transport.send(request, body: body)
    }

    func send(
        _ request: HTTPRequest, body: RequestBody, admitting admit: RedirectAdmission
    ) async throws(Failure) -> Reply {
        secrets.note(request, beyond: own, secretQueryNames: secretQueryNames)
        return try await transport.send(request, body: body, admitting: admit)
    }
}

extension WriteSettlement {
    /// The settlement with an answer that repeats no credential.
    func scrubbed(of secrets: SentSecrets) -> WriteSettlement {
        var scrubbed = self
        switch verdict {
        case .delivered(let answer): scrubbed.verdict = .delivered(answer.scrubbed(of: secrets))
        case .arrived(let answer): scrubbed.verdict = .arrived(answer.scrubbed(of: secrets))
        case .parked(let reason, let error, let answer):
            scrubbed.verdict = .parked(reason, error, answer?.scrubbed(of: secrets))
        case .retry, .unknown, .sendAgain, .released: break
        }
        return scrubbed
    }
}

extension WriteAnswer {
    fileprivate func scrubbed(of secrets: SentSecrets) -> WriteAnswer {
        var answer = self
        answer.body = secrets.scrubbed(body)
        return answer
    }
}

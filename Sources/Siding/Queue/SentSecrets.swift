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
            }
        }
        for pair in (request.path ?? "").drop(while: { $0 != "?" }).dropFirst().split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, secretQueryNames.contains(HTTPURL.decode(String(parts[0]))) else { continue }
            found.formUnion([String(parts[1]), HTTPURL.decode(String(parts[1]))])
        }
        values.withLock { $0.formUnion(found.filter { $0.utf8.count >= Self.shortest }) }
    }

    /// `bytes` without them.
    func scrubbed(_ bytes: [UInt8]) -> [UInt8] {
        // The longest first: one may be a part of another.
        let secrets = values.withLock { $0.sorted { $0.utf8.count > $1.utf8.count } }
        return secrets.reduce(bytes) { $0.replacing(Array($1.utf8), with: Self.mark) }
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

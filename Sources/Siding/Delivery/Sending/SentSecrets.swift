// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingCredentials
internal import SidingJSON
internal import SidingSynchronization

/// The credentials that were sent with a write, remembered while it is in flight: an answer that repeats them must not bring
/// them into the store.
final class SentSecrets: Sendable {
    private static let mark = Array("…".utf8)

    private let values = Mutex<Set<String>>([])

    /// Remembers the values of `request` except for `own`, the fields that the store and the configuration hold anyway.
    func add(from request: HTTPRequest, beyond own: HTTPFields, secretQueryNames: Set<String>) {
        var found: Set<String> = []
        for field in request.headerFields where own[field.name] == nil {
            found.formUnion(SentCredential.parts(of: field.value))
            // "token=abc", as some origins want it.
            if let equals = field.value.firstIndex(of: "=") {
                found.insert(String(field.value[field.value.index(after: equals)...]))
            }
        }
        for parameter in QueryParameter.all(in: (request.path ?? "").drop { $0 != "?" }.dropFirst()) {
            guard secretQueryNames.contains(parameter.name), let value = parameter.value else { continue }
            found.formUnion([String(value), HTTPURL.decode(String(value))])
        }
        values.withLock { $0.formUnion(found.filter { $0.utf8.count >= SentCredential.shortest }) }
    }

    /// `transport`, of whose requests the credentials are noted.
    ///
    /// - Parameter own: the fields that stand in the store and in the configuration.
    func noting(_ transport: any Transport, beyond own: HTTPFields, secretQueryNames: Set<String>) -> any Transport {
        ObservingTransport(transport) { self.add(from: $0, beyond: own, secretQueryNames: secretQueryNames) }
    }

    /// Removes the secrets from `bytes`, both as plain text and as JSON escapes them.
    func scrubbed(_ bytes: [UInt8]) -> [UInt8] {
        // Longest first: one may be part of another.
        let secrets = values.withLock { $0.union($0.flatMap(Self.escaped)).sorted { $0.utf8.count > $1.utf8.count } }
        return secrets.reduce(bytes) { $0.replacing(Array($1.utf8), with: Self.mark) }
    }

    /// A JSON string escapes quotes and backslashes, and may escape a solidus (RFC 8259 §7).
    private static func escaped(_ value: String) -> [String] {
        let must = value.escaping(["\\": "\\\\", "\"": "\\\""])
        return [must, must.escaping(["/": "\\/"])]
    }
}

extension WriteResult {
    /// The same result, with credentials removed from its answer.
    func scrubbed(of secrets: SentSecrets) -> WriteResult {
        var scrubbed = self
        scrubbed.theirs = theirs?.scrubbed(of: secrets)
        if case .refused(let how, let mayBeOfOne) = outcome {
            let words = String(decoding: secrets.scrubbed(Array(how.utf8)), as: UTF8.self)
            scrubbed.outcome = .refused(words, mayBeOfOne: mayBeOfOne)
        }
        switch transition {
        case .delivered(let answer): scrubbed.transition = .delivered(answer.scrubbed(of: secrets))
        case .arrived(let answer): scrubbed.transition = .arrived(answer.scrubbed(of: secrets))
        case .parked(let reason, let error, let answer):
            scrubbed.transition = .parked(reason, error.scrubbed(of: secrets), answer?.scrubbed(of: secrets))
        case .retry(let error, let isCounted, let waitsForNetwork, let wait):
            let error = error.scrubbed(of: secrets)
            scrubbed.transition = .retry(error, isCounted: isCounted, waitsForNetwork: waitsForNetwork, wait: wait)
        case .unknown(let error, let waitsForNetwork, let wait):
            scrubbed.transition = .unknown(error.scrubbed(of: secrets), waitsForNetwork: waitsForNetwork, wait: wait)
        case .sendAgain(let moment, let why):
            let why = String(decoding: secrets.scrubbed(Array(why.utf8)), as: UTF8.self)
            scrubbed.transition = .sendAgain(from: moment, because: why)
        case .released: break
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

extension RecordedError {
    fileprivate func scrubbed(of secrets: SentSecrets) -> RecordedError {
        var error = self
        error.message = String(decoding: secrets.scrubbed(Array(message.utf8)), as: UTF8.self)
        return error
    }
}

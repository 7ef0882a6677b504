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
        all.reduce(bytes) { $0.replacing(Array($1.utf8), with: Self.mark) }
    }

    /// Removes them from a message, also the beginning of one within which the message was cut.
    func scrubbed(_ text: String) -> String {
        let all = all
        var bytes = scrubbed(Array(text.utf8))
        // From the end, so that what is removed moves none of the marks before it. A secret may have a mark, too.
        var end = bytes.count
        while let mark = bytes[..<end].indices.last(where: { bytes[$0..<end].starts(with: Self.mark) }) {
            let cut = all.map { Self.beginning(of: $0, endsWith: bytes[..<mark]) }.max() ?? 0
            bytes.removeSubrange(mark - cut..<mark)
            end = mark - cut
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// How much of the secret is at the end of `bytes`.
    private static func beginning(of secret: String, endsWith bytes: ArraySlice<UInt8>) -> Int {
        let most = min(secret.utf8.count, bytes.count)
        guard most >= SentCredential.shortest else { return 0 }
        return (SentCredential.shortest...most).last { bytes.suffix($0).elementsEqual(secret.utf8.prefix($0)) } ?? 0
    }

    /// Longest first: one may be part of another.
    private var all: [String] {
        values.withLock { $0.union($0.flatMap(Self.escaped)).sorted { $0.utf8.count > $1.utf8.count } }
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
            scrubbed.outcome = .refused(secrets.scrubbed(how), mayBeOfOne: mayBeOfOne)
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
            scrubbed.transition = .sendAgain(from: moment, because: secrets.scrubbed(why))
        case .learned(let answer): scrubbed.transition = .learned(answer?.scrubbed(of: secrets))
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
        error.message = secrets.scrubbed(message)
        return error
    }
}

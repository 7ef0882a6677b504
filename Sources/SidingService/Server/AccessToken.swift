// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// What a request needs to be answered; it may change while the service runs.
final class AccessToken: Sendable {
    private let text: Mutex<String>

    /// The fewest characters.
    private static let shortest = 16

    /// - Throws: ``ServiceError/Kind/invalidToken``.
    init(_ text: String) throws(ServiceError) {
        try Self.check(text)
        self.text = Mutex(text)
    }

    /// - Throws: ``ServiceError/Kind/invalidToken``; the old text stays then.
    func replace(with text: String) throws(ServiceError) {
        try Self.check(text)
        self.text.withLock { $0 = text }
    }

    func equals(_ given: String) -> Bool { Admission.areEqual(given, text.withLock { $0 }) }

    private static func check(_ text: String) throws(ServiceError) {
        guard text.utf8.count >= shortest, text.utf8.allSatisfy((UInt8(ascii: "!")...UInt8(ascii: "~")).contains) else {
            throw ServiceError(
                .invalidToken,
                "the token needs \(shortest) or more characters: letters, digits and signs, no spaces",
                hint: "'openssl rand -hex 32' makes one")
        }
    }
}

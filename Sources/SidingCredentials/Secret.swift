// SPDX-License-Identifier: Apache-2.0
public import SidingChain

/// A reference to a secret: where to read it, never its value.
///
/// It is read whenever a request needs it, so that a rotated token is used at once, and it is never stored or shown.
public struct Secret: Sendable, CustomStringConvertible {
    /// Where the secret comes from, for people: `env TRACKER_TOKEN`, `file /run/credentials/tracker`.
    public let description: String
    /// The text, if it is not secret but plain text of the configuration, such as a user name.
    package let plainText: String?
    private let emptiness: String
    private let identity = Identity()
    private let reader: @Sendable () async throws -> String
    private let looker: @Sendable () async -> String?

    /// What a secret and its copies share.
    private final class Identity: Sendable {}

    /// Whether one is a copy of the other: two secrets that were made apart may read different texts.
    package func isCopy(of other: Secret) -> Bool { identity === other.identity }

    /// A secret that `reader` reads.
    ///
    /// - Parameters:
    ///   - description: where the secret comes from, for people.
    ///   - emptiness: the message for an empty secret, which is an error.
    ///   - absence: why it is missing, as far as known without running a program; nil if it is present.
    ///   - reader: reads the secret; called whenever a request needs it.
    public init(
        _ description: String, emptiness: String = "it is empty",
        absence: @escaping @Sendable () async -> String? = { nil },
        _ reader: @escaping @Sendable () async throws -> String
    ) {
        (self.description, self.emptiness, self.reader, looker) = (description, emptiness, reader, absence)
        plainText = nil
    }

    /// The secret behind `prefix`, such as `Token `, for origins that want a word before it.
    package func behind(_ prefix: String) -> Secret {
        Secret(description, emptiness: emptiness, absence: looker) { prefix + (try await read()) }
    }

    /// Whether it is plain text from the configuration instead of a secret.
    package var isPlain: Bool { plainText != nil }

    /// Plain text in place of a secret. `subject` describes it for people.
    public init(plain text: String, _ subject: String) {
        (description, emptiness, reader, looker) = (subject, "it is empty", { text }, { nil })
        plainText = text
    }

    /// Why the secret is missing, as far as known without running a program; nil if it is present.
    package func absence() async -> String? { await looker() }

    /// Reads the secret.
    ///
    /// - Throws: `Failure.Reason.credentialUnavailable` that names the secret and the problem, without its value. A
    ///   `Failure` of the reader, and a cancellation, are unchanged.
    public func read() async throws(Failure) -> String {
        let value = try await text()
        guard !value.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            throw unavailable(SecretError(reason: "it holds a line break or another control character"))
        }
        return value
    }

    /// Reads a secret that may have several lines, such as the JSON output of a program.
    ///
    /// - Throws: as ``read()``.
    func text() async throws(Failure) -> String {
        let value: String
        do {
            value = try await reader()
        } catch let failure as Failure {
            throw failure
        } catch is CancellationError {
            throw Failure(.cancelled, phase: .notSent)
        } catch {
            throw unavailable(error)
        }
        guard !value.isEmpty else { throw unavailable(SecretError(reason: emptiness)) }
        return value
    }

    private func unavailable(_ error: any Error) -> Failure {
        let why = (error as? SecretError)?.reason ?? String(describing: error)
        return Failure(
            .credentialUnavailable, phase: .notSent, detail: "secret \(description): \(why)", underlying: error)
    }
}

/// Why a secret could not be read; the text never contains the secret.
public struct SecretError: Error, Sendable {
    /// Completes "secret …: ", such as `the environment variable API_TOKEN is not set`.
    public let reason: String

    /// For the reader of a ``Secret`` to throw: the reason is shown as it is, so it must not contain the secret.
    public init(reason: String) {
        self.reason = reason
    }
}

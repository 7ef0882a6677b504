public import SidingChain

/// A secret by reference: where to read it, never what it says.
///
/// It is read anew whenever a request needs it, so that a rotated token is used at once, and is never stored or shown.
public struct Secret: Sendable, CustomStringConvertible {
    /// Where the secret comes from, for a person: `env TRACKER_TOKEN`, `file /run/credentials/tracker`.
    public let description: String
    /// The text, where it is no secret, but stands in the configuration, such as a user name.
    package let plainText: String?
    private let emptiness: String
    private let reader: @Sendable () async throws -> String
    private let looker: @Sendable () async -> String?

    /// A secret that `reader` reads.
    ///
    /// - Parameters:
    ///   - emptiness: what is said where it is empty, which no secret may be.
    ///   - absence: why it is not there, as far as can be seen without running a program; nil where it is.
    public init(
        _ description: String, emptiness: String = "it is empty",
        absence: @escaping @Sendable () async -> String? = { nil },
        _ reader: @escaping @Sendable () async throws -> String
    ) {
        (self.description, self.emptiness, self.reader, looker) = (description, emptiness, reader, absence)
        plainText = nil
    }

    /// Whether it is none, but text that stands in the configuration.
    public var isPlain: Bool { plainText != nil }

    /// Plain text in the place of a secret.
    ///
    /// - Parameter subject: what it is, for a person.
    public init(plain text: String, _ subject: String) {
        (description, emptiness, reader, looker) = (subject, "it is empty", { text }, { nil })
        plainText = text
    }

    /// Why the secret is not there, as far as can be seen without running a program; nil where it is.
    public func absence() async -> String? { await looker() }

    /// Reads the secret.
    ///
    /// - Throws: ``Failure/Reason/credentialUnavailable`` that says which secret and why, without its value; a
    ///   ``Failure`` of the reader's own, and a cancellation, as they are.
    public func read() async throws(Failure) -> String {
        let value = try await text()
        guard !value.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            throw unavailable(SecretError(reason: "it holds a line break or another control character"))
        }
        return value
    }

    /// Reads a text of several lines, such as JSON that a program prints.
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

/// Why a secret could not be read, in words that hold nothing of the secret.
public struct SecretError: Error, Sendable {
    public let reason: String

    public init(reason: String) {
        self.reason = reason
    }
}

public import SidingChain

/// A secret by reference: where to read it, never what it says.
///
/// It is read anew whenever a request needs it, so that a rotated token is used at once, and is never stored or shown.
public struct Secret: Sendable, CustomStringConvertible {
    /// Where the secret comes from, for a person: `env TRACKER_TOKEN`, `file /run/credentials/tracker`.
    public let description: String
    private let reader: @Sendable () async throws -> String

    /// A secret that `reader` reads.
    public init(_ description: String, _ reader: @escaping @Sendable () async throws -> String) {
        self.description = description
        self.reader = reader
    }

    /// Reads the secret.
    ///
    /// - Throws: ``Failure/Reason/credentialUnavailable`` that says which secret and why, without its value; a
    ///   ``Failure`` of the reader's own, and a cancellation, as they are.
    public func read() async throws(Failure) -> String {
        do {
            let value = try await reader()
            guard !value.isEmpty else { throw SecretError(reason: "it is empty") }
            guard !value.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
                throw SecretError(reason: "it holds a line break or another control character")
            }
            return value
        } catch let failure as Failure {
            throw failure
        } catch is CancellationError {
            throw Failure(.cancelled, phase: .notSent)
        } catch {
            throw Failure(
                .credentialUnavailable, phase: .notSent, detail: "secret \(description): \(Self.why(error))",
                underlying: error)
        }
    }

    private static func why(_ error: any Error) -> String {
        (error as? SecretError)?.reason ?? String(describing: error)
    }
}

/// Why a secret could not be read, in words that hold nothing of the secret.
public struct SecretError: Error, Sendable {
    public let reason: String

    public init(reason: String) {
        self.reason = reason
    }
}

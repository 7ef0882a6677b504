// SPDX-License-Identifier: Apache-2.0
/// What TLS trusts, and what it shows to an origin that asks for a certificate.
///
/// Files are PEM, and are read again when they change. There is no way to turn verification off.
public struct TLSSettings: Sendable, Hashable {
    /// The oldest version of TLS that is spoken.
    public enum Version: String, Sendable, Hashable, CaseIterable {
        /// TLS 1.2 (RFC 5246) or newer.
        case v1_2 = "1.2"
        /// TLS 1.3 (RFC 8446) only, as there is no newer one.
        case v1_3 = "1.3"
    }

    /// A file of certificate authorities to trust beside the system's; nil for none.
    public var authorities: String?
    /// Whether only ``authorities`` are trusted, and not the system's.
    public var trustsOnlyAuthorities: Bool
    /// A file or directory that holds the system's authorities, as `SSL_CERT_FILE` and `SSL_CERT_DIR` name it; nil for the usual
    /// places.
    public var systemAuthorities: String?
    /// A file with the client's certificate and those between it and its authority; nil for none.
    public var certificate: String?
    /// A file with the key of ``certificate``; nil if it is in the same file.
    public var key: String?
    /// The password of ``key``; nil if it has none.
    public var keyPassword: TransportSecret?
    /// TLS 1.2 by default.
    public var minimumVersion: Version

    /// By default the system's authorities, no client certificate, and TLS 1.2 or newer. Files are read when a connection
    /// is made.
    public init(
        authorities: String? = nil, trustsOnlyAuthorities: Bool = false, systemAuthorities: String? = nil,
        certificate: String? = nil, key: String? = nil, keyPassword: TransportSecret? = nil,
        minimumVersion: Version = .v1_2
    ) {
        (self.authorities, self.trustsOnlyAuthorities) = (authorities, trustsOnlyAuthorities)
        (self.systemAuthorities, self.certificate, self.key) = (systemAuthorities, certificate, key)
        (self.keyPassword, self.minimumVersion) = (keyPassword, minimumVersion)
    }

    /// The files that a connection needs, and perhaps a directory.
    package var files: [String] { [authorities, systemAuthorities, certificate, key].compactMap(\.self) }
}

/// A password that a connection needs, read when the connection is made. Two are equal if they come from the same place.
public struct TransportSecret: Sendable, Hashable, CustomStringConvertible {
    /// Where it comes from, for messages.
    public let description: String
    private let text: @Sendable () async throws(Failure) -> String

    /// - Throws: `text` throws ``Failure/Reason/credentialUnavailable`` if the password is missing.
    public init(_ description: String, _ text: @escaping @Sendable () async throws(Failure) -> String) {
        (self.description, self.text) = (description, text)
    }

    package func read() async throws(Failure) -> String { try await text() }

    public static func == (one: TransportSecret, other: TransportSecret) -> Bool {
        one.description == other.description
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

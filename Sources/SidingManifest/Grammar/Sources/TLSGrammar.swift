// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingCredentials

/// What TLS trusts and shows: `tls:`.
enum TLSGrammar {
    private static let caFile = Keyword(
        "ca_file", file, "A PEM file of certificate authorities that are trusted beside the system's.")
    private static let only = Keyword(
        "only", .truth, default: false, "Whether only ca_file is trusted, and not the system's authorities.")
    private static let certificate = Keyword(
        "certificate", file,
        "A PEM file with the client's certificate, and those up to its authority, for origins that ask for one.")
    private static let key = Keyword("key", file, "A PEM file with its key; by default the file of the certificate.")
    private static let keyPassword = Keyword("key_password", .secret, "The password of the key, in ASCII.")
    private static let minVersion = Keyword(
        "min_version", ValueType<TLSSettings.Version>.choice, default: "1.2",
        "The oldest version of TLS that is spoken.")

    private static let file = ValueType<String>.text("the path of a PEM file").map { text, node, reading in
        reading.absolute(Located(value: text, place: node.place, subject: reading.subject))
    }

    static let shape = Shape<TLSSettings>([
        caFile.entry, only.entry, certificate.entry, key.entry, keyPassword.entry, minVersion.entry,
    ]) { object, reading in
        var tls = TLSSettings()
        tls.authorities = object.value(caFile, &reading)
        tls.trustsOnlyAuthorities = object.value(only, &reading) ?? false
        tls.certificate = object.value(certificate, &reading)
        tls.key = object.value(key, &reading)
        tls.keyPassword = object.value(keyPassword, &reading).map { TransportSecret($0) }
        tls.minimumVersion = object.value(minVersion, &reading) ?? .v1_2
        if tls.trustsOnlyAuthorities, object.entry(caFile.name) == nil {
            reading.fault("\(reading.subject) has 'only' without a 'ca_file'", at: object.place, expected: "a ca_file")
        }
        if tls.certificate == nil, object.entry(certificate.name) == nil, tls.key != nil || tls.keyPassword != nil {
            reading.fault(
                "\(reading.subject) has a key without a 'certificate'", at: object.place, expected: "a certificate")
        }
        return tls
    }
}

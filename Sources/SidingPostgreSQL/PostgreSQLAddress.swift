// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// The parameters of a connection: the address, the password, and TLS that is strict unless the user chose something else.
struct PostgreSQLAddress {
    typealias Parameter = (keyword: String, value: String)

    struct Option {
        let keyword: String
        let value: String
        let isSecret: Bool
    }

    /// For PQconnectStartParams. For a keyword that occurs twice, the last value that is not empty holds.
    private(set) var parameters: [Parameter]
    /// The passwords among the options, which no message may repeat.
    let secrets: [String]
    /// Whether strict TLS was added: for the hint of an error.
    private(set) var addsStrictTLS = false

    /// - Throws: ``PostgreSQLError`` of kind `invalidAddress`.
    init(_ settings: PostgreSQLSettings, _ library: PostgreSQLLibrary) throws(PostgreSQLError) {
        let written = try Self.parse(settings.address, library)
        parameters = [("application_name", settings.applicationName), ("dbname", settings.address)]
        if let password = settings.password { parameters.append(("password", password)) }
        parameters.append(("client_encoding", "UTF8"))
        let effective = try Self.effectiveOptions(parameters, library)
        secrets = (effective + written).filter(\.isSecret).map(\.value) + [settings.password].compactMap(\.self)

        func value(_ keyword: String) -> String {
            effective.first { $0.keyword == keyword }?.value ?? ""
        }
        var mode = value("sslmode")
        let isChosen = written.contains { $0.keyword == "sslmode" } || getenv("PGSSLMODE") != nil
        // A service file may set it too. `prefer`, libpq's default, cannot be told from none there, and protects nothing.
        if !isChosen, mode == "prefer", !Self.isLocal(host: value("host"), address: value("hostaddr")) {
            mode = "verify-full"
            addsStrictTLS = true
            parameters.append(("sslmode", mode))
        }
        if mode == "verify-full", value("sslrootcert").isEmpty, let file = Self.rootCertificates(library) {
            parameters.append(("sslrootcert", file))
        }
    }

    /// The options that the address itself has.
    private static func parse(_ address: String, _ library: PostgreSQLLibrary) throws(PostgreSQLError) -> [Option] {
        var message: UnsafeMutablePointer<CChar>?
        if let options = library.PQconninfoParse(address, &message) { return library.takeOptions(options) }
        defer { library.PQfreemem(message) }
        throw .invalidAddress(message.map { String(cString: $0) } ?? "")
    }

    /// All options with a value, from the address, the environment, the service file, and libpq's defaults.
    ///
    /// libpq reports them only for a connection. An impossible `target_session_attrs`, which it checks last, makes this one
    /// fail before anything is looked up or sent.
    private static func effectiveOptions(
        _ parameters: [Parameter], _ library: PostgreSQLLibrary
    ) throws(PostgreSQLError) -> [Option] {
        let impossible = "siding-reads-options"
        guard let connection = library.startConnection(parameters + [("target_session_attrs", impossible)]) else {
            throw .invalidAddress("out of memory")
        }
        defer { library.PQfinish(connection) }
        let message = library.errorMessage(connection)
        guard message.contains(impossible) else { throw .invalidAddress(message) }
        return library.takeOptions(library.PQconninfo(connection))
    }

    /// Whether all hosts of a list are this machine: none, a Unix socket (`/…`, or abstract `@…`), or the loopback.
    static func isLocal(host: String, address: String) -> Bool {
        (address.isEmpty ? host : address).split(separator: ",").allSatisfy { host in
            host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || host == "::1"
                || host.hasPrefix("127.") && IPAddress.bytes(String(host)) != nil
        }
    }

    /// Where the certificates are that TLS trusts; nil leaves it to libpq, which looks for `~/.postgresql/root.crt`
    /// (PostgreSQL's documentation, "SSL Support").
    private static func rootCertificates(_ library: PostgreSQLLibrary) -> String? {
        if let home = getenv("HOME"), FileSystem.exists(String(cString: home) + "/.postgresql/root.crt") { return nil }
        if library.PQlibVersion() >= 160_000 { return "system" }
        let debian = "/etc/ssl/certs/ca-certificates.crt"
        return FileSystem.exists(debian) ? debian : nil
    }
}

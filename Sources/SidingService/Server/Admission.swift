// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes

/// Decides whose requests are answered, by the host name they are for, where they come from, and their token.
struct Admission: Sendable {
    private let names: Set<String>
    /// Whether the service listens on all addresses of the machine.
    private let isEverywhere: Bool
    private let token: AccessToken?

    /// - Throws: ``ServiceError/Kind/tokenRequired``, ``ServiceError/Kind/invalidToken``.
    init(_ address: HTTPService.Address, token: String?, allowedHosts: [String]) throws(ServiceError) {
        if let token {
            self.token = try AccessToken(token)
        } else if address.isLocal {
            self.token = nil
        } else {
            throw ServiceError(
                .tokenRequired, "\(address) can be reached from other machines, so it needs a token",
                hint: "give one, or listen on 127.0.0.1 or a unix socket")
        }
        var names: Set = ["localhost", "127.0.0.1", "::1"]
        if case .host(let name, _) = address { names.insert(name.lowercased()) }
        isEverywhere = !names.isDisjoint(with: ["0.0.0.0", "::"])
        self.names = names.union(allowedHosts.map { HostName($0)?.name ?? $0 })
    }

    var needsToken: Bool { token != nil }

    /// - Throws: ``ServiceError/Kind/invalidToken``, also if none is needed; the old one is needed then.
    func replaceToken(_ text: String) throws(ServiceError) {
        guard let token else { throw ServiceError(.invalidToken, "the service was made without a token") }
        try token.replace(with: text)
    }

    /// Refuses names that are not the service's. A page of another site whose name was made to lead here (DNS
    /// rebinding) has a name in its requests, never an address; so addresses are no danger where the service listens on
    /// all of them.
    func checkHost(_ request: ServiceRequest) throws {
        guard !names.contains(request.host.name), !(isEverywhere && request.host.isNumeric) else { return }
        throw ServiceProblem(
            .misdirectedRequest, "host", "this service is not served under the name '\(request.host.name.prefix(100))'",
            hint: "open it by its address, or allow the name where the service is started")
    }

    /// Refuses posts of other sites' pages.
    func checkOrigin(_ request: ServiceRequest) throws {
        guard let origin = request.fields[.origin] else { return }
        let parts = origin.split(separator: "://", maxSplits: 1)
        let ports = ["http": 80, "https": 443]
        guard parts.count == 2, let usual = ports[String(parts[0])], let host = HostName(String(parts[1])),
            host.name == request.host.name, host.port ?? usual == request.host.port ?? usual
        else { throw ServiceProblem(.forbidden, "origin", "another site may not act here") }
    }

    /// Refuses requests without the token, if there is one. Browsers send it as the password of Basic authentication.
    func checkToken(_ request: ServiceRequest) throws {
        guard let token, !isBearer(request) else { return }
        if let password = request.password, token.equals(password) { return }
        var problem = ServiceProblem(
            .unauthorized, "unauthorized", "the token is missing or wrong",
            hint: "programs send it as 'Authorization: Bearer TOKEN'; in a browser it is the password, with any user")
        problem.fields[.wwwAuthenticate] = #"Basic realm="siding", charset="UTF-8""#
        throw problem
    }

    /// Refuses actions of programs without the bearer token. Basic authentication does not do: browsers add it by
    /// themselves, also to a form of another site.
    func checkMayAct(_ request: ServiceRequest) throws {
        guard !isBearer(request) else { return }
        throw ServiceProblem(
            .forbidden, "token_required", "actions need 'Authorization: Bearer TOKEN'",
            hint: needsToken ? nil : "start the service with a token, or use the pages or 'siding queue'")
    }

    private func isBearer(_ request: ServiceRequest) -> Bool {
        guard let token, let credential = request.credential("bearer") else { return false }
        return token.equals(credential)
    }

    /// Compares in a time that does not depend on where they differ.
    static func areEqual(_ one: String, _ other: String) -> Bool {
        guard one.utf8.count == other.utf8.count else { return false }
        return zip(one.utf8, other.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

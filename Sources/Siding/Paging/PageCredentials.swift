internal import HTTPTypes
internal import SidingChain
internal import SidingCredentials
internal import SidingSynchronization

/// The credentials that the requests for pages carry: an origin that repeats them in a next link, under whatever name, must
/// not bring them into the store.
final class PageCredentials: Sendable {
    /// Shorter values are no credentials, and would be found where nothing is meant by them.
    private static let shortest = 6

    private let field: HTTPField.Name?
    private let queryNames: Set<String>
    private let found = Mutex<Set<String>>([])

    init(_ authorization: Authorization) {
        (field, queryNames) = (authorization.field, authorization.secretQueryNames)
    }

    var values: Set<String> { found.withLock { $0 } }

    /// The transport, which notes what it is given to carry; itself where there is nothing to note.
    func noting(_ transport: any Transport) -> any Transport {
        field == nil && queryNames.isEmpty ? transport : Noting(transport: transport, credentials: self)
    }

    private func note(_ request: HTTPRequest) {
        var carried: Set<String> = []
        if let field, let value = request.headerFields[field] {
            carried.insert(value)
            // "Bearer abc": the scheme's name is no secret, what follows is one by itself.
            let credentials = value.split(separator: " ", maxSplits: 1).dropFirst().map(String.init)
            carried.formUnion(credentials + credentials.flatMap(SentSecrets.parts(ofBasic:)))
        }
        for parameter in QueryParameter.all(in: (request.path ?? "").drop { $0 != "?" }.dropFirst())
        where queryNames.contains(parameter.name) {
            carried.formUnion(parameter.value.map { [HTTPURL.decode(String($0))] } ?? [])
        }
        carried = carried.filter { $0.utf8.count >= Self.shortest }
        found.withLock { $0.formUnion(carried) }
    }

    private struct Noting: Transport {
        let transport: any Transport
        let credentials: PageCredentials

        func send(_ request: HTTPRequest, body: RequestBody) async throws(Failure) -> Reply {
            credentials.note(request)
            return try await transport.send(request, body: body)
        }

        func send(
            _ request: HTTPRequest, body: RequestBody, admitting admit: RedirectAdmission
        ) async throws(Failure) -> Reply {
            credentials.note(request)
            return try await transport.send(request, body: body, admitting: admit)
        }
    }
}

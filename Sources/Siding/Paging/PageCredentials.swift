internal import HTTPTypes
internal import SidingChain
internal import SidingCredentials
internal import SidingSynchronization

/// Collects the credentials that page requests carry. If an origin repeats them in a next link, under any name, they must not
/// reach the store.
final class PageCredentials: Sendable {
    private let field: HTTPField.Name?
    private let queryNames: Set<String>
    private let found = Mutex<Set<String>>([])

    init(_ authorization: Authorization) {
        (field, queryNames) = (authorization.field, authorization.secretQueryNames)
    }

    var values: Set<String> { found.withLock { $0 } }

    /// The transport, wrapped to collect credentials; unchanged if the source has none.
    func noting(_ transport: any Transport) -> any Transport {
        field == nil && queryNames.isEmpty ? transport : ObservingTransport(transport) { self.note($0) }
    }

    private func note(_ request: HTTPRequest) {
        var carried: Set<String> = []
        if let field, let value = request.headerFields[field] {
            carried = SentCredential.parts(of: value)
        }
        for parameter in QueryParameter.all(in: (request.path ?? "").drop { $0 != "?" }.dropFirst())
        where queryNames.contains(parameter.name) {
            carried.formUnion(parameter.value.map { [HTTPURL.decode(String($0))] } ?? [])
        }
        carried = carried.filter { $0.utf8.count >= SentCredential.shortest }
        found.withLock { $0.formUnion(carried) }
    }
}

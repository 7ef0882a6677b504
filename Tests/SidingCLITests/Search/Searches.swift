// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingOrigin

/// A request to a search: its body, read.
struct SearchRequest: Sendable {
    let request: OriginRequest
    let body: JSONValue

    init(_ request: OriginRequest) throws {
        self.request = request
        body = try JSONDecoder().decode(JSONValue.self, from: Data(request.body))
    }

    /// The value of nested members.
    subscript(_ names: String...) -> JSONValue? {
        var value: JSONValue? = body
        for name in names {
            guard case .object(let members)? = value else { return nil }
            value = members[name]
        }
        return value
    }
}

extension Origin {
    /// The bodies that were asked with, as text.
    var bodies: [String] { requests.map { String(decoding: $0.body, as: UTF8.self) } }

    /// An origin that answers each body of JSON; a request without one is no search.
    static func searching(
        _ answer: @escaping @Sendable (SearchRequest) async throws -> String
    ) async throws -> Origin {
        try await Origin.start { request in
            guard request.method == "POST", request.headerFields[.contentType] == "application/json",
                let search = try? SearchRequest(request), let text = try? await answer(search)
            else { return OriginResponse.json(#"{"error":"no search"}"#, status: .badRequest) }
            return .json(text)
        }
    }

    func config(_ resource: String) -> String {
        """
        version: 1
        database: { path: test.db }
        sources: { here: { base_url: "\(url.origin)", retry: { inline: 0 } } }
        resources:
          things:
            path: /search
            \(resource.split(separator: "\n").joined(separator: "\n    "))
        """
    }
}

extension Sandbox {
    /// The keys of what is stored.
    func keys() async throws -> [String] {
        try await sqlite(
            file("test.db"),
            "SELECT key FROM siding_records_things WHERE deleted_at IS NULL ORDER BY key"
        )
        .lines.map(String.init)
    }
}

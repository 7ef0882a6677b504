// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes
internal import SidingSynchronization

/// A request as the origin received it.
public struct OriginRequest: Sendable {
    /// As received, such as `GET`.
    public var method: String
    /// Path and query of the request line.
    public var target: String
    /// The fields as received, `Host` included.
    public var headerFields: HTTPFields
    /// The whole body; a request is handled once it is complete.
    public var body: [UInt8]
    /// The number of the connection, from 1: requests with the same number shared one.
    public var connection: Int
    /// The number of the request, from 1, in the order of completion.
    public var order: Int

    /// A request that no connection brought, for tests of a route. The parameters are the properties of the same names.
    public init(
        method: String, target: String, headerFields: HTTPFields = [:], body: [UInt8] = [], connection: Int = 1,
        order: Int = 1
    ) {
        self.method = method
        self.target = target
        self.headerFields = headerFields
        self.body = body
        self.connection = connection
        self.order = order
    }

    /// The target without its query, percent-encoded as received.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The decoded query; the last parameter of a name wins.
    public var query: [String: String] {
        var query: [String: String] = [:]
        for pair in target.dropFirst(path.count + 1).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? PercentCoding.decode(parts[1], plus: " ") : ""
            query[PercentCoding.decode(parts[0], plus: " ")] = value
        }
        return query
    }
}

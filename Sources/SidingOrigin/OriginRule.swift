// SPDX-License-Identifier: Apache-2.0
/// Selects the requests that a fault affects.
public struct OriginPattern: Sendable, Hashable {
    /// Nil for any.
    public var method: String?
    /// Nil for any; a trailing `*` matches any suffix.
    public var path: String?
    /// Required query parameters with their values.
    public var query: [String: String]

    /// The parameters are the properties of the same names; all of them must match.
    public init(method: String? = nil, path: String? = nil, query: [String: String] = [:]) {
        self.method = method
        self.path = path
        self.query = query
    }

    /// Every request.
    public static let any = OriginPattern()

    /// Whether `request` is affected.
    public func matches(_ request: OriginRequest) -> Bool {
        if let method, method != request.method { return false }
        if let path, !Self.matches(request.path, path) { return false }
        guard !query.isEmpty else { return true }
        let asked = request.query
        return query.allSatisfy { asked[$0.key] == $0.value }
    }

    private static func matches(_ path: String, _ pattern: String) -> Bool {
        pattern.hasSuffix("*") ? path.hasPrefix(pattern.dropLast()) : path == pattern
    }
}

/// A fault with its pattern and counters.
struct OriginRule: Sendable {
    let id: Int
    let fault: OriginFault
    let pattern: OriginPattern
    /// The number of matching requests still to pass unharmed.
    var skipping: Int
    /// How often the fault still happens; nil until it is lifted.
    var times: Int?

    /// Whether the fault affects `request`; counts it if so.
    mutating func strikes(_ request: OriginRequest) -> Bool {
        guard times != 0, pattern.matches(request) else { return false }
        guard skipping == 0 else {
            skipping -= 1
            return false
        }
        times = times.map { $0 - 1 }
        return true
    }
}

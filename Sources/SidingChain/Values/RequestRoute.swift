// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes

/// The target of a request: a method and a checked URL.
public struct RequestRoute: Sendable, Hashable {
    /// The method, such as GET; it decides whether a request may be sent twice (RFC 9110 §9.2.2).
    public var method: HTTPRequest.Method
    /// The whole URL, query included.
    public var url: HTTPURL

    /// A route with a fixed URL; for a path with placeholders there is ``init(_:_:under:parameters:)``.
    public init(_ method: HTTPRequest.Method, _ url: HTTPURL) {
        self.method = method
        self.url = url
    }

    /// A path under a source, with percent-encoded values in place of `{name}` placeholders.
    ///
    /// - Throws: ``Failure/Reason/invalidRequest`` if a placeholder has no value, or one that would change the path (empty,
    ///   `.`, `..`), or if the result is not a URL.
    public init(
        _ method: HTTPRequest.Method, _ template: String, under base: HTTPURL, parameters: [String: String] = [:]
    ) throws(Failure) {
        var path = ""
        path.reserveCapacity(template.utf8.count + 32 * parameters.count)
        var rest = Substring(template)
        while let open = rest.utf8.firstIndex(of: UInt8(ascii: "{")),
            let close = rest.utf8[open...].firstIndex(of: UInt8(ascii: "}"))
        {
            let name = String(rest[rest.index(after: open)..<close])
            guard let value = parameters[name] else {
                throw Failure(
                    .invalidRequest, phase: .notSent,
                    detail: "the placeholder {\(name)} of the path '\(template)' has no value")
            }
            // Origins and proxies resolve dot segments, and an empty value names the collection: the path would change.
            guard !value.isEmpty, value != ".", value != ".." else {
                throw Failure(
                    .invalidRequest, phase: .notSent,
                    detail: "'\(value)' cannot stand for {\(name)} in the path '\(template)'")
            }
            path += rest[..<open]
            path += QueryEncoding.escape(value)
            rest = rest[rest.index(after: close)...]
        }
        path += rest
        self.init(method, try base.appending(path: path))
    }

    /// Checks that each of `parameters` has its placeholder in `template`. A name with a typing error would be ignored otherwise.
    ///
    /// - Throws: ``Failure/Reason/invalidRequest`` with the names that have none.
    package static func checkPlaceholders(
        of template: String, for parameters: [String: String]
    ) throws(Failure) {
        let unused = parameters.keys.filter { !template.contains("{\($0)}") }.sorted()
        guard !unused.isEmpty else { return }
        let names = unused.map { "{\($0)}" }.joined(separator: ", ")
        throw Failure(
            .invalidRequest, phase: .notSent,
            detail: "the path '\(template)' has no placeholder for the value of \(names)")
    }
}

extension HTTPRequest.Method {
    /// Whether sending a request twice has the same effect as sending it once (RFC 9110 §9.2.2).
    package var isIdempotent: Bool { [.get, .head, .options, .trace, .put, .delete].contains(self) }
}

public import HTTPTypes

/// A file at a path, served whole or by range: for downloads that are resumed.
///
/// It answers `Range: bytes=N-` with 206 where `If-Range` names its tag (RFC 9110 §13.1.5), with 416 where N is not below
/// its size, and everything else with the whole.
public struct FileRoute: OriginRoute {
    private let path: String
    private let body: [UInt8]
    private let validators: HTTPFields

    /// - Parameters:
    ///   - path: where it is.
    ///   - body: its bytes.
    ///   - validators: what names its version, `ETag` or `Last-Modified`, sent with each answer.
    public init(_ path: String, _ body: [UInt8], validators: HTTPFields = [.eTag: "\"1\""]) {
        (self.path, self.body, self.validators) = (path, body, validators)
    }

    public func answer(_ request: OriginRequest) async -> OriginResponse? {
        guard request.path == path else { return nil }
        guard let first = firstByte(of: request) else { return OriginResponse(headerFields: validators, body: body) }
        var fields = validators
        guard first < body.count else {
            fields[.contentRange] = "bytes */\(body.count)"
            return OriginResponse(status: .rangeNotSatisfiable, headerFields: fields)
        }
        fields[.contentRange] = "bytes \(first)-\(body.count - 1)/\(body.count)"
        return OriginResponse(status: .partialContent, headerFields: fields, body: Array(body[first...]))
    }

    /// Nil where the whole is asked for, or the condition does not hold.
    private func firstByte(of request: OriginRequest) -> Int? {
        guard let range = request.headerFields[.range], range.hasPrefix("bytes="), range.hasSuffix("-") else {
            return nil
        }
        if let condition = request.headerFields[.ifRange] {
            guard condition == validators[.eTag] ?? validators[.lastModified] else { return nil }
        }
        return Int(range.dropFirst(6).dropLast())
    }
}

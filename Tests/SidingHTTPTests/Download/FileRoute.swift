// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingOrigin

/// Serves a file, whole or by range: for downloads that are resumed.
///
/// It responds to `Range: bytes=N-` with 206 if `If-Range` equals its validator (RFC 9110 §13.1.5), with 416 if N is not below
/// its size, and to everything else with the whole file.
struct FileRoute: OriginRoute {
    private let path: String
    private let body: [UInt8]
    private let validators: HTTPFields

    /// - Parameters:
    ///   - path: the path of the file.
    ///   - body: its bytes.
    ///   - validators: the version of the file, `ETag` or `Last-Modified`, sent with each response.
    init(_ path: String, _ body: [UInt8], validators: HTTPFields = [.eTag: "\"1\""]) {
        (self.path, self.body, self.validators) = (path, body, validators)
    }

    /// The file, or a part of it, for any request to its path; nil for other paths.
    func answer(_ request: OriginRequest) async -> OriginResponse? {
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

    /// Nil if the whole file is requested, or the condition does not hold.
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

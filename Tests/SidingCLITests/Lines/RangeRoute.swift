// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingOrigin

/// Serves the answers of another route by range too, as static files are: for pages that go on where they broke off.
///
/// It responds to `Range: bytes=N-` with 206 if `If-Range` is the answer's `ETag` (RFC 9110 §13.1.5).
struct RangeRoute: OriginRoute {
    private let route: any OriginRoute

    /// Wraps `route`, whose answers need an `ETag`; those without one are served whole.
    init(_ route: any OriginRoute) {
        self.route = route
    }

    /// The other route's answer, or the part of it that the request asks for; nil if that route has none.
    func answer(_ request: OriginRequest) async -> OriginResponse? {
        let whole = await route.answer(request)
        guard var answer = whole, answer.status == .ok, let etag = answer.headerFields[.eTag] else { return whole }
        answer.headerFields[.acceptRanges] = "bytes"
        guard let range = request.headerFields[.range], range.hasPrefix("bytes="), range.hasSuffix("-"),
            let first = Int(range.dropFirst(6).dropLast()), request.headerFields[.ifRange] == etag,
            first < answer.body.count
        else { return answer }
        answer.headerFields[.contentRange] = "bytes \(first)-\(answer.body.count - 1)/\(answer.body.count)"
        answer.status = .partialContent
        answer.body = Array(answer.body[first...])
        return answer
    }
}

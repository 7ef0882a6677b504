// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain

/// Decides whether and where to follow a redirect, so that credentials and bodies stay at their origin.
///
/// - GET and HEAD follow 301, 302, 303, 307 and 308. Every other method follows only 307 and 308 within its own origin.
/// - A 304, or a status without `Location` or with an empty one, is not a redirect.
/// - At another origin the request keeps only the fields that negotiate the response; a body is not sent there.
/// - Another origin must be one of ``SidingChain/TransportSettings/redirectOrigins``, and use https. Only a call that began with http on
///   loopback may continue with http on loopback; https is never followed by http. No redirect leads to a Unix socket.
/// - A URL seen before, or too many redirects, end the call.
struct Redirects {
    /// The fields that are sent to another origin; all others might be credentials. A range and its condition, which refers to
    /// a version of the other origin's own file, are included so that a download can be resumed there.
    private static let harmless: Set<String> = [
        "accept", "accept-language", "accept-encoding", "user-agent", "range", "if-range",
    ]

    private let limit: Int
    /// The origin of the call, and the others that it may go to; nil if it may go to any.
    private let origins: Set<String>?
    private let beganInTheClearOnLoopback: Bool
    private var visited: Set<String>

    init(from first: CheckedRequest, _ settings: TransportSettings) {
        limit = settings.redirects
        origins = settings.redirectOrigins?.union([first.url.origin])
        self.beganInTheClearOnLoopback = first.url.scheme == "http" && first.url.isLoopback
        self.visited = [first.url.description]
    }

    /// The next request if `head` is a redirect; nil if it is the final response.
    ///
    /// - Throws: ``SidingChain/Failure/Reason/redirectRefused`` if the redirect breaks a rule.
    mutating func next(after hop: CheckedRequest, _ head: ResponseHead) throws(Failure) -> CheckedRequest? {
        let status = head.status
        guard [301, 302, 303, 307, 308].contains(status),
            let location = head.response.headerFields[.location]?.nonEmpty
        else { return nil }
        let resolved = try? hop.url.resolve(location)
        let mayBePortal = resolved.map { Self.mayBePortal(status, from: hop.url, to: $0) } ?? false
        guard Self.isSafe(hop.method) || status == 307 || status == 308 else {
            throw Self.refusal(
                "a \(status) does not say that \(hop.method.rawValue) may be repeated elsewhere",
                mayBePortal ? UnlistedOrigin(mayBePortal: true) : status == 301 ? nil : RedirectedWrite())
        }
        guard let target = resolved else { throw Self.refusal("its Location is not a URL that may be asked") }
        var next = hop
        next.url = target
        if target.origin != hop.url.origin { next = try crossing(next, from: hop.url, mayBePortal: mayBePortal) }
        guard visited.count <= limit else { throw Self.refusal("more than \(limit) redirects") }
        guard visited.insert(target.description).inserted else {
            throw Self.refusal("it leads back to where it came from")
        }
        return next
    }

    /// See ``SidingChain/UnlistedOrigin/mayBePortal``.
    private static func mayBePortal(_ status: Int, from url: HTTPURL, to target: HTTPURL) -> Bool {
        url.scheme == "http" && !(url.isLoopback && target.isLoopback) && [302, 303, 307].contains(status)
            && target.host != url.host
    }

    private func crossing(
        _ hop: CheckedRequest, from url: HTTPURL, mayBePortal: Bool
    ) throws(Failure) -> CheckedRequest {
        if let origins, !origins.contains(hop.url.origin) {
            throw Self.refusal(
                "it leads to another origin, \(hop.url.origin)", UnlistedOrigin(mayBePortal: mayBePortal))
        }
        // A service behind a socket trusts whoever may open it: this program is nobody's way in.
        guard !hop.url.isUnixSocket else { throw Self.refusal("it leads to a socket of this machine") }
        guard Self.isSafe(hop.method) else {
            throw Self.refusal("\(hop.method.rawValue) is not repeated at another origin, \(hop.url.origin)")
        }
        guard hop.body.length == 0 else {
            throw Self.refusal("a body is not carried to another origin, \(hop.url.origin)")
        }
        guard hop.url.scheme == "https" || mayStayInTheClear(hop.url, from: url) else {
            throw Self.refusal("it leads to plain http at another origin, \(hop.url.origin)")
        }
        var next = hop
        next.headerFields = HTTPFields(hop.headerFields.filter { Self.harmless.contains($0.name.canonicalName) })
        next.body = .none
        return next
    }

    private func mayStayInTheClear(_ target: HTTPURL, from url: HTTPURL) -> Bool {
        beganInTheClearOnLoopback && url.scheme == "http" && target.isLoopback
    }

    private static func isSafe(_ method: HTTPRequest.Method) -> Bool { method == .get || method == .head }

    private static func refusal(_ detail: String, _ underlying: (any Error)? = nil) -> Failure {
        Failure(.redirectRefused, phase: .answered, detail: detail, underlying: underlying)
    }
}

// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes

/// How a listing indicates its next page.
public enum OriginPaging: Sendable, Hashable {
    /// All records on one page.
    case single
    /// `Link: <…>; rel="next"` with an absolute URL (RFC 8288).
    case link
    /// The next URL in the body, in a member: `["next"]`, `["links", "next"]`, `["@odata.nextLink"]`.
    case nextURL(member: [String])
    /// A token in the body, to be sent as a query parameter. Stable while records are added and removed.
    case cursor(member: [String], query: String = "cursor")
    /// A token in a header field, to be sent as a query parameter. Stable while records are added and removed.
    case cursorHeader(HTTPField.Name, query: String = "cursor")
    /// Page numbers from 1; the end is an empty page.
    case page(query: String = "page")
    /// Offsets from 0; the end is an empty page.
    case offset(query: String = "offset")
}

/// The validators that a listing sends and honours.
public struct Validators: OptionSet, Sendable, Hashable {
    /// One bit per validator.
    public let rawValue: Int

    /// - Parameter rawValue: 1 for ``etag``, 2 for ``lastModified``, 3 for both.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// A strong `ETag` of the page's bytes, honoured in `If-None-Match`.
    public static let etag = Validators(rawValue: 1)
    /// `Last-Modified`, honoured in `If-Modified-Since` if it is the same time.
    public static let lastModified = Validators(rawValue: 2)
}

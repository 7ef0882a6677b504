/// How a model becomes part of a request. The choice is the caller's for every method, GET and DELETE included.
public enum BodyEncoding: String, Sendable, Codable, CaseIterable {
    /// A JSON body, the same bytes for the same value. What is meant where nothing is said.
    case json
    /// An `application/x-www-form-urlencoded` body; a space is `%20`, and `+` is always escaped.
    case formURL = "form_url"
    /// Parameters behind the route's own query, and no body.
    case urlQuery = "url_query"
    /// A `multipart/form-data` body (RFC 7578) with one part per field.
    case multipart
    /// The bytes that the model itself gives, see ``RawBody``.
    case raw
}

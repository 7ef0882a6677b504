// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes
public import SidingChain

/// A write of the user: a request that changes something at an origin, to be stored and then sent.
///
/// ```swift
/// var write = WriteRequest(to: "tracker", .post, url, body: body, idempotency: Idempotency())
/// write.lane = "orders"
/// ```
public struct WriteRequest: Sendable {
    /// The methods of writes.
    public static let methods: Set<HTTPRequest.Method> = [.post, .put, .patch, .delete]

    /// The largest body in bytes: it is stored in the database until it is delivered.
    public static let bodyLimit = 64 << 20

    /// The name of the target source; its credentials are added when the write is sent.
    public var source: String
    /// One of ``methods``.
    public var method: HTTPRequest.Method
    /// Absolute, without credentials.
    public var url: HTTPURL
    /// The write's own fields; the source's are added when it is sent.
    public var headerFields: HTTPFields
    /// Sent byte for byte, on each attempt.
    public var body: [UInt8]?
    /// Entries of one lane are delivered in order. Nil gives the write its own lane, or that of its record if it has an
    /// ``edit``.
    public var lane: String?
    /// Entries, by id or unique prefix, that must complete before this one is sent.
    public var after: [String] = []
    /// The idempotency key; nil to generate one on acceptance. The same key with the same request returns the existing entry.
    public var key: String?
    /// The origin's promise to honour the key; nil if there is none.
    public var idempotency: Idempotency?
    /// After how long the write expires; nil for never.
    public var expiry: Duration?
    /// The configured write that made this request, such as `issues.create`.
    public var operation: String?
    /// The effect on a local record; nil if there is none.
    public var edit: WriteEdit?
    /// The delivery probe, for a write that may have arrived and may not be sent twice; nil leaves the check to an operator.
    public var probe: WriteProbe?
    /// The statuses that mean that someone else changed the record; nil for 409, 412 and 428. If set, those of the three that
    /// are not included refuse the write, as every other 4xx does.
    public var conflictStatuses: Set<Int>?
    /// Whether 404 and 410 count as success; nil means yes if the method is DELETE or the ``edit`` deletes its record.
    public var goneIsDone: Bool?

    /// The parameters are the properties of the same names; set the others on the value. ``Siding/send(_:sendsNow:)`` checks them.
    public init(
        to source: String, _ method: HTTPRequest.Method, _ url: HTTPURL, headerFields: HTTPFields = [:],
        body: [UInt8]? = nil, idempotency: Idempotency? = nil
    ) {
        (self.source, self.method, self.url) = (source, method, url)
        (self.headerFields, self.body, self.idempotency) = (headerFields, body, idempotency)
    }
}

extension WriteRequest: Changeable {}

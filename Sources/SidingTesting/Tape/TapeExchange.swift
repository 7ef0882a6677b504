// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes
public import SidingChain

extension Tape {
    /// One request and its outcome.
    public struct Exchange: Sendable {
        /// What was sent.
        public var request: Request
        /// What came back.
        public var outcome: Outcome

        /// The parameters are the properties of the same names.
        public init(request: Request, outcome: Outcome) {
            self.request = request
            self.outcome = outcome
        }
    }

    /// A request with its secrets replaced.
    public struct Request: Sendable, Hashable {
        /// Such as `GET`.
        public var method: String
        /// The whole URL; secret query parameters have the value `scrubbed`.
        public var url: String
        /// Those that the ``TapeScrubber`` keeps.
        public var headerFields: HTTPFields
        /// Nil if the request had no body.
        public var body: Body?

        /// The parameters are the properties of the same names.
        public init(method: String, url: String, headerFields: HTTPFields = [:], body: Body? = nil) {
            (self.method, self.url, self.headerFields, self.body) = (method, url, headerFields, body)
        }
    }

    /// How a request ended.
    public enum Outcome: Sendable {
        /// With a response, whatever its status, even if its body broke off.
        case answer(Answer)
        /// Without a response.
        case failure(Failure)
    }

    /// The head and body of a response.
    public struct Answer: Sendable {
        /// The status code, such as 200.
        public var status: Int
        /// The fields of the response, with the values of secret ones replaced.
        public var headerFields: HTTPFields
        /// What was read of the body; empty if there was none.
        public var body: Body
        /// The length that the origin declared.
        public var length: Int?
        /// The URL of the response, if it differs from that of the request.
        public var url: HTTPURL?
        /// The failure that ended the body, if any.
        public var brokenBy: Failure?

        /// The parameters are the properties of the same names.
        public init(
            status: Int, headerFields: HTTPFields = [:], body: Body = Body([]), length: Int? = nil, url: HTTPURL? = nil,
            brokenBy: Failure? = nil
        ) {
            (self.status, self.headerFields, self.body) = (status, headerFields, body)
            (self.length, self.url, self.brokenBy) = (length, url, brokenBy)
        }
    }

    /// The bytes of a request or a response.
    public struct Body: Sendable, Hashable {
        /// Without the secrets that the ``TapeScrubber`` replaces.
        public var bytes: [UInt8]
        /// Whether its reader stopped before the end, so that the rest is unknown.
        public var isCut: Bool

        /// A whole body, unless `isCut`.
        public init(_ bytes: [UInt8], isCut: Bool = false) {
            self.bytes = bytes
            self.isCut = isCut
        }
    }
}

public import HTTPTypes
public import SidingChain

extension Tape {
    /// One request and its outcome.
    public struct Exchange: Sendable {
        public var request: Request
        public var outcome: Outcome

        public init(request: Request, outcome: Outcome) {
            self.request = request
            self.outcome = outcome
        }
    }

    /// A request with its secrets replaced.
    public struct Request: Sendable, Hashable {
        public var method: String
        public var url: String
        public var headerFields: HTTPFields
        /// Nil if the request had no body.
        public var body: Body?

        public init(method: String, url: String, headerFields: HTTPFields = [:], body: Body? = nil) {
            (self.method, self.url, self.headerFields, self.body) = (method, url, headerFields, body)
        }
    }

    public enum Outcome: Sendable {
        case answer(Answer)
        case failure(Failure)
    }

    /// The head and body of a response.
    public struct Answer: Sendable {
        public var status: Int
        public var headerFields: HTTPFields
        public var body: Body
        /// The length that the origin declared.
        public var length: Int?
        /// The URL of the response, if it differs from that of the request.
        public var url: HTTPURL?
        /// The failure that ended the body, if any.
        public var brokenBy: Failure?

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
        public var bytes: [UInt8]
        /// Whether its reader stopped before the end, so that the rest is unknown.
        public var isCut: Bool

        public init(_ bytes: [UInt8], isCut: Bool = false) {
            self.bytes = bytes
            self.isCut = isCut
        }
    }
}

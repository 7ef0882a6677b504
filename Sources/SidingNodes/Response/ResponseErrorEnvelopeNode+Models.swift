// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import HTTPTypes
public import SidingChain

extension ResponseErrorEnvelopeNode {
    /// A node that inspects only bodies that decode as `type`; all others contain no user error.
    ///
    /// - Parameters:
    ///   - type: the type of the envelope.
    ///   - limit: the largest body that is inspected, in bytes.
    ///   - asksSuccesses: whether bodies of successful responses are inspected, too.
    ///   - decoder: makes a decoder for each response.
    ///   - ownError: returns or throws the user's error, or returns nil.
    public init<Body: Decodable & Sendable>(
        reading type: Body.Type, limit: Int = HTTPFailure.bodyLimit, asksSuccesses: Bool = false,
        decoder: (@Sendable () -> JSONDecoder)? = nil,
        _ ownError: @escaping @Sendable (Body, HTTPResponse) throws -> (any Error)?
    ) {
        self.init(limit: limit, asksSuccesses: asksSuccesses) { document, reply in
            let decoder = decoder?() ?? JSONCoding.decoder()
            guard let document, let body = try? JSONCoding.model(Body.self, from: document, by: decoder) else {
                return nil
            }
            return try ownError(body, reply.response)
        }
    }
}

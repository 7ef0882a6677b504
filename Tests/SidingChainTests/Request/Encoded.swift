// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting

/// What a request looks like when it goes out, for tests of the request half.
struct Encoded: Equatable {
    var target: String
    var contentType: String?
    /// Nil where there is no body at all.
    var body: String?

    init(target: String = "/p", contentType: String? = nil, body: String? = nil) {
        (self.target, self.contentType, self.body) = (target, contentType, body)
    }

    init(_ draft: RequestDraft) async throws {
        target = draft.route.url.requestTarget
        contentType = draft.headerFields[.contentType]
        body =
            if case .none = draft.body { nil } else {
                String(decoding: try await draft.body.collected(), as: UTF8.self)
            }
    }
}

extension EncodedBody {
    /// The chunks of one attempt.
    func chunks() async throws -> [[UInt8]] {
        switch self {
        case .none: return []
        case .bytes(let bytes): return [bytes]
        case .stream(_, let chunks):
            let next = chunks()
            var all: [[UInt8]] = []
            while let chunk = try await next() { all.append(chunk) }
            return all
        }
    }

    func collected() async throws -> [UInt8] { try await chunks().flatMap { $0 } }
}

extension RequestDraft {
    static func test(
        _ method: HTTPRequest.Method = .post, _ url: String = "http://a/p", _ fields: HTTPFields = [:]
    ) throws -> RequestDraft {
        RequestDraft(route: RequestRoute(method, try HTTPURL(url)), headerFields: fields)
    }
}

extension RequestEncoderNode {
    /// What becomes of a model in a draft.
    func encoded(_ model: Model, _ draft: RequestDraft? = nil) async throws -> Encoded {
        let draft = try draft ?? RequestDraft.test()
        return try await Encoded(process(draft.with(body: Optional(model)), .test))
    }

    /// The failure in which a model must end.
    func failure(of model: Model, _ draft: RequestDraft? = nil) async throws -> Failure? {
        await failure(try (draft ?? RequestDraft.test()).with(body: Optional(model)))
    }
}

/// The error of a call that throws failures only.
func failure<Value>(_ call: () async throws -> Value) async -> Failure? {
    do {
        _ = try await call()
        return nil
    } catch {
        return error as? Failure
    }
}

// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain

/// Answers every request with the same small page from memory: what is left is the price of the chain itself.
struct MemoryTransport: Transport {
    private let response: HTTPResponse
    private let page: [UInt8]
    private let url: HTTPURL

    init(url: HTTPURL) {
        self.url = url
        response = HTTPResponse(
            status: .ok, headerFields: [.contentType: "application/json", .eTag: "\"5f3a\"", .date: "now"])
        page = Array(#"[{"id":1,"title":"one"},{"id":2,"title":"two"}]"#.utf8)
    }

    func send(_ request: HTTPRequest, body: EncodedBody) async throws(Failure) -> Reply {
        Reply(response: response, body: .bytes(page), url: url)
    }
}

/// A machine with a way out.
struct AlwaysConnected: Connectivity {
    func hasUsableRoute() -> Bool { true }
}

/// A token that is at hand.
struct TokenProvider: MetadataProvider {
    func metadata(_ context: ChainContext) async throws(Failure) -> HTTPFields {
        [.authorization: "Bearer 0123456789abcdef"]
    }
}

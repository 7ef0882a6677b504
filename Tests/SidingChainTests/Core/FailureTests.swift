// SPDX-License-Identifier: Apache-2.0
import SidingChain
import Testing

@Suite struct FailureTests {
    struct Own: Error {}

    @Test func `a failure is one line with reason, request and detail`() {
        let failure = Failure(.cantConnectToHost(.refused), phase: .notSent, detail: "x")
            .at(node: "RequestSenderNode", method: "GET", url: "http://a/")
        #expect(failure.description == "can't connect to host: connection refused (GET http://a/): x")
        #expect(Failure(.truncated, phase: .answered).description == "the answer ended before its declared end")
        #expect(
            Failure(.contract, phase: .answered).at(url: "http://a/").description
                == "the answer breaks its contract (http://a/)")
    }

    @Test func `the place that is known first stays`() {
        let failure = Failure(.contract, phase: .answered).at(node: "inner").at(node: "outer", method: "PUT")
        #expect(failure.node == "inner")
        #expect(failure.method == "PUT")
    }

    @Test func `a user's error is kept beneath, a failure and a cancellation pass`() {
        let wrapped = Failure.wrapping(Own(), phase: .answered)
        #expect(wrapped.reason == .userCode)
        #expect(wrapped.underlying is Own)
        #expect(Failure.wrapping(CancellationError(), phase: .notSent).reason == .cancelled)
        #expect(Failure.wrapping(Failure(.contract, phase: .maybeSent), phase: .notSent).phase == .maybeSent)
    }

    @Test(arguments: [
        (400, "badRequest"), (401, "unauthorized"), (403, "forbidden"), (404, "notFound"),
        (500, "internalServerError"), (414, "uriTooLong"), (505, "httpVersionNotSupported"),
        (429, "tooManyRequests"), (503, "serviceUnavailable"), (599, ""), (-1, ""), (5000, ""),
    ])
    func `a status has the name that is registered for it`(_ status: Int, _ name: String) {
        #expect(HTTPFailure(status: status).name == name)
    }

    @Test func `a failure says its status, whether the line is down, and whether another try may help`() {
        let rows: [(Failure.Reason, Int?, isOffline: Bool, isRetryable: Bool)] = [
            (.noInternetConnection, nil, true, true), (.captivePortal, nil, true, true),
            (.timeout(.connect), nil, false, true), (.contract, nil, false, false), (.cancelled, nil, false, false),
            (.http(HTTPFailure(status: 404)), 404, false, false), (.http(HTTPFailure(status: 503)), 503, false, true),
            (.http(HTTPFailure(status: 511)), 511, true, true),
        ]
        for (reason, status, isOffline, isRetryable) in rows {
            let failure = Failure(reason, phase: .answered)
            #expect(failure.status == status && failure.isOffline == isOffline, "\(reason)")
            #expect(failure.isRetryable == isRetryable, "\(reason)")
        }
    }

    @Test func `a failure's detail is made harmless`() {
        #expect(Failure(.contract, phase: .answered, detail: "a\u{1b}]52;c;x\u{7}b").detail == "a\\u{1b}]52;c;x\\u{7}b")
    }
}

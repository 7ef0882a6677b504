// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import Testing

@Suite struct ChangeableTests {
    struct Own: Changeable, Equatable {
        var name = "a"
        var limits = Limits()
        struct Limits: Equatable { var most = 1 }
    }

    @Test func `a change makes a copy and leaves the original`() {
        let policy = RetryPolicy()
        let patient = policy.with(\.retries, 3).with(\.backoff.cap, .seconds(1))
        #expect(patient == RetryPolicy(retries: 3, backoff: Backoff(cap: .seconds(1))))
        #expect(policy == RetryPolicy())
    }

    @Test func `the values of a chain can be changed by copying`() throws {
        let draft = RequestDraft(route: RequestRoute(.get, try HTTPURL("http://a/p")))
            .with(\.route.method, .put).with(\.headerFields[.accept], "x")
        #expect(draft.route == RequestRoute(.get, try HTTPURL("http://a/p")).with(\.method, .put))
        #expect(draft.headerFields == [.accept: "x"])
        #expect(TransportSettings().with(\.maxBody, 7).maxBody == 7)
        #expect(QueryEncoding().with(\.arrays, .comma) == QueryEncoding(arrays: .comma))
        #expect(ChainContext.test.with(\.isResendable, false).isResendable == false)
        #expect(Failure(.contract, phase: .answered).with(\.phase, .notSent).phase == .notSent)
    }

    @Test func `a type of one's own needs nothing but its name`() {
        #expect(Own().with(\.name, "b").with(\.limits.most, 2) == Own(name: "b", limits: .init(most: 2)))
    }
}

// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingTesting
import Testing

@Suite struct GivenCredentialTests {
    @Test func `a given credential stays the given one over all renewals, until another one is stored`() async throws {
        let bench = AccessBench()
        let given = try await bench.safety.givenCredential()
        for number in 1...3 {
            bench.origin.expire()
            #expect(await bench.chain.failure("/") == nil)
            #expect(bench.tokenRequests == number)
            #expect(try await bench.safety.credential() != given)
            #expect(try await bench.safety.givenCredential() == given)
        }
        let credential = try await bench.safety.signIn(bench.origin.signIn())
        #expect(try await bench.safety.givenCredential() == credential)
    }
}

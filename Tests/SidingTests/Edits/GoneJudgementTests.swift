import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

@Suite struct GoneJudgementTests {
    private func isDelivered(_ method: HTTPRequest.Method, _ status: Int) async throws -> Bool {
        let bench = try await EditBench()
        let write = try #require(try await bench.claim(try await bench.send(method, "/posts/1").id))
        let source = Source(name: "blog", baseURL: try HTTPURL("https://api.example.org"))
        let judgement = WriteJudgement(source: source, write: write, jitter: .none, now: bench.time.now)
        let settlement = judgement.judge(Failure(.http(HTTPFailure(status: status)), phase: .answered))
        if case .delivered = settlement.verdict { return true }
        return false
    }

    @Test(arguments: [404, 410])
    func `what is gone is as good as deleted`(status: Int) async throws {
        #expect(try await isDelivered(.delete, status))
    }

    @Test(arguments: [404, 410])
    func `a change of what is gone is not delivered`(status: Int) async throws {
        for method: HTTPRequest.Method in [.post, .put, .patch] {
            #expect(try await !isDelivered(method, status), "\(method)")
        }
    }
}

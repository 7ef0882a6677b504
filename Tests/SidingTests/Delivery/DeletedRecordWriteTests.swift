// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

@Suite struct DeletedRecordWriteTests {
    private func isDelivered(
        _ method: HTTPRequest.Method, _ status: Int, goneIsDone: Bool? = nil, edit: WriteEdit.Change? = nil
    ) async throws -> Bool {
        let bench = try await EditBench()
        let entry = try await bench.store.enqueue(
            WriteRequest(
                to: "blog", method, try EditBench.url("/posts/1"), body: edit == .merge ? Array("{}".utf8) : nil
            )
            .with(\.edit, try edit.map { WriteEdit($0, of: try EditBench.posts(), key: "1") })
            .with(\.goneIsDone, goneIsDone))
        let write = try #require(try await bench.claim(entry.id))
        let source = Source(name: "blog", baseURL: try HTTPURL("https://api.example.org"))
        let policy = WriteResultPolicy(source: source, write: write, jitter: .none, now: bench.time.now)
        let result = policy.result(of: Failure(.http(HTTPFailure(status: status)), phase: .answered))
        if case .delivered = result.transition { return true }
        return false
    }

    @Test(arguments: [404, 410])
    func `a deletion of a missing record is delivered`(status: Int) async throws {
        #expect(try await isDelivered(.delete, status))
    }

    @Test(arguments: [404, 410])
    func `a change of a missing record is not delivered`(status: Int) async throws {
        for method: HTTPRequest.Method in [.post, .put, .patch] {
            #expect(try await !isDelivered(method, status), "\(method)")
            #expect(try await !isDelivered(method, status, edit: .merge), "\(method)")
        }
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch, .delete])
    func `a deletion has any method, and decides for itself whether a missing record is done`(
        method: HTTPRequest.Method
    ) async throws {
        #expect(try await isDelivered(method, 404, edit: .delete))
        for edit in [WriteEdit.Change.delete, nil] {
            #expect(try await isDelivered(method, 410, goneIsDone: true, edit: edit))
            #expect(try await !isDelivered(method, 410, goneIsDone: false, edit: edit))
        }
    }
}

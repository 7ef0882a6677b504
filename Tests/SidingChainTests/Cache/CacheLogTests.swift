// SPDX-License-Identifier: Apache-2.0
import Logging
import SidingChain
import SidingNodes
import SidingTesting
import Testing
import TestSupport

/// A cache that fails costs a warning, and only that.
@Suite struct CacheLogTests {
    private func context(_ log: RecordedLog) -> ChainContext {
        ChainContext(requestID: "r1", logger: log.logger)
    }

    @Test func `a failing cache is logged, unless the node is excluded`() async throws {
        let (log, bench) = (
            RecordedLog(), CacheBench(cache: BrokenCache(), [.tagged("[1]", "a"), .tagged("[1]", "a")])
        )
        var context = context(log)
        _ = try await bench.server.process(CacheBench.draft(), context)
        #expect(log.lines.map(\.message) == ["response cache failed", "response cache failed"])
        #expect(
            log.lines.allSatisfy { line in
                line.level == .warning && line.metadata["detail"] == "the disk is gone"
                    && line.metadata["request"] == "r1" && line.metadata["node"] == "ETagNode"
            })
        context.logExclusions = ["ETagNode"]
        _ = try await bench.server.process(CacheBench.draft(), context)
        #expect(log.lines.count == 2)
    }

    @Test func `a policy logs a failing cache, not an empty one`() async throws {
        for (cache, told) in [(InMemoryResponseCache(), 0), (BrokenCache(), 1)] as [(any ResponseCache, Int)] {
            let (log, bench) = (RecordedLog(), CacheBench(cache: cache, []))
            let offline = Step<RequestDraft, LoadedResponse> { _, _ throws(Failure) in
                throw Failure(.noInternetConnection, phase: .notSent)
            }
            let policy = CachePolicyNode(
                .serverIfFailsCache, server: offline, cached: bench.cached, decode: CacheBench.text)
            #expect(await policy.failure(try CacheBench.draft(), context(log))?.reason == .noInternetConnection)
            #expect(log.lines.count == told)
        }
    }
}

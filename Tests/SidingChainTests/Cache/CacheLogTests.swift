import Logging
import SidingChain
import SidingTesting
import SidingSynchronization
import Testing

/// A cache that fails costs a warning, and only that.
@Suite struct CacheLogTests {
    private func context(_ lines: Lines) -> ChainContext {
        ChainContext(requestID: "r1", logger: Logger(label: "test") { _ in Handler(lines: lines) })
    }

    @Test func `a cache that fails is told to the log, unless the node is excluded`() async throws {
        let (lines, bench) = (Lines(), CacheBench(cache: BrokenCache(), [.tagged("[1]", "a"), .tagged("[1]", "a")]))
        var context = context(lines)
        _ = try await bench.server.process(CacheBench.draft(), context)
        #expect(lines.all.map(\.message.description) == ["response cache failed", "response cache failed"])
        #expect(
            lines.all.allSatisfy { line in
                line.level == .warning && line.metadata?["detail"] == "the disk is gone"
                    && line.metadata?["request"] == "r1" && line.metadata?["node"] == "ETagNode"
            })
        context.logExclusions = ["ETagNode"]
        _ = try await bench.server.process(CacheBench.draft(), context)
        #expect(lines.all.count == 2)
    }

    @Test func `a policy tells the log of a cache that fails, not of one that has nothing`() async throws {
        for (cache, told) in [(InMemoryResponseCache(), 0), (BrokenCache(), 1)] as [(any ResponseCache, Int)] {
            let (lines, bench) = (Lines(), CacheBench(cache: cache, []))
            let offline = Step<RequestDraft, LoadedResponse> { _, _ throws(Failure) in
                throw Failure(.noInternetConnection, phase: .notSent)
            }
            let policy = CachePolicyNode(
                .serverIfFailsCache, server: offline, cached: bench.cached, decode: CacheBench.text)
            #expect(await policy.failure(try CacheBench.draft(), context(lines))?.reason == .noInternetConnection)
            #expect(lines.all.count == told)
        }
    }

    private final class Lines: Sendable {
        private let lines = Mutex<[LogEvent]>([])
        var all: [LogEvent] { lines.withLock { $0 } }
        func append(_ event: LogEvent) { lines.withLock { $0.append(event) } }
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) { lines.append(event) }
    }
}

import HTTPTypes
import Logging
import SidingChain
import SidingTesting
import SidingSynchronization
import Testing

@Suite struct LoggerNodeTests {
    /// Keeps what was logged.
    final class Lines: Sendable {
        private let lines = Mutex<[(level: Logger.Level, message: String, metadata: Logger.Metadata)]>([])
        var all: [(level: Logger.Level, message: String, metadata: Logger.Metadata)] { lines.withLock { $0 } }
        func append(_ event: LogEvent) {
            let line = (event.level, "\(event.message)", event.metadata ?? [:])
            lines.withLock { $0.append(line) }
        }
    }

    struct Handler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) { lines.append(event) }
    }

    @Test func `success and failure are events with their request and place`() async throws {
        let lines = Lines()
        let context = ChainContext(requestID: "r1", logger: Logger(label: "test") { _ in Handler(lines: lines) })
        #expect(try await LoggerNode(Step<Int, Int> { input, _ in input }).process(1, context) == 1)
        let failing = Step<Int, Int> { _, _ throws(Failure) in
            throw Failure(.contract, phase: .answered, detail: "d").at(node: "n", url: "http://a/?token=…")
        }
        #expect(await LoggerNode(failing).failure(1, context)?.reason == .contract)
        #expect(lines.all.map(\.message) == ["request succeeded", "request failed"])
        #expect(lines.all.map(\.level) == [.debug, .info])
        let failed = lines.all[1].metadata
        #expect(failed["request"] == "r1")
        #expect(failed["failure"] == "contract")
        #expect(failed["phase"] == "answered")
        #expect(failed["node"] == "LoggerNode")
        #expect(failed["failed_node"] == "n")
        #expect(failed["url"] == "http://a/?token=…")
        #expect(failed["took"] != nil)
    }

    @Test func `an excluded node is silent and still runs`() async throws {
        let lines = Lines()
        let context = ChainContext(
            requestID: "r1", logger: Logger(label: "test") { _ in Handler(lines: lines) }, logExclusions: ["LoggerNode"]
        )
        #expect(try await LoggerNode(Step<Int, Int> { input, _ in input }).process(1, context) == 1)
        #expect(lines.all.isEmpty)
    }

    @Test func `the nodes of a call tell their events in order, each with its name`() async throws {
        let lines = Lines()
        let context = ChainContext(requestID: "r1", logger: Logger(label: "test") { _ in Handler(lines: lines) })
        let transport = ScriptedTransport([.status(.serviceUnavailable), .text("{}")])
        let assembly = ChainAssembly(
            transport: transport, connectivity: TestConnectivity(),
            retry: RetryPolicy(retries: 1, backoff: Backoff(base: .zero)))
        let builder = URLChainBuilder(assembly).route(.get, "/p?token=canary", under: try HTTPURL("http://a"))
        try await builder.build(Void.self, to: Void.self)(context)
        #expect(
            lines.all.map(\.message) == [
                "request is sent", "answer has come", "request will be tried again", "request is sent",
                "answer has come", "request succeeded",
            ])
        #expect(lines.all.map { $0.metadata["order"] } == (1...6).map { "\($0)" })
        #expect(lines.all.allSatisfy { $0.metadata["request"] == "r1" })
        #expect(lines.all[0].metadata["node"] == "RequestSenderNode")
        #expect(lines.all[2].metadata["node"] == "RetryNode")
        #expect(!"\(lines.all)".contains("canary"))
        #expect(lines.all[0].metadata["url"] == "http://a/p?token=…")
    }

    @Test func `a chain leaves out the events of the nodes that it names`() async throws {
        let lines = Lines()
        let context = ChainContext(requestID: "r1", logger: Logger(label: "test") { _ in Handler(lines: lines) })
        let assembly = ChainAssembly(transport: ScriptedTransport([.text("{}")]), connectivity: TestConnectivity())
        let builder = URLChainBuilder(assembly).route(.get, try HTTPURL("http://a/p"))
        try await builder.log(exclude: ["RequestSenderNode"]).build(Void.self, to: Void.self)(context)
        #expect(lines.all.map(\.message) == ["request succeeded"])
    }

    @Test func `nothing is ever written to standard output, whether anyone listens or not`() async throws {
        let result = try await #require(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let transport = ScriptedTransport([.status(.serviceUnavailable), .text("{}"), .status(.notFound)])
            let assembly = ChainAssembly(
                transport: transport, connectivity: TestConnectivity(),
                retry: RetryPolicy(retries: 1, backoff: Backoff(base: .zero)))
            let chain = try URLChainBuilder(assembly).route(.get, HTTPURL("http://a/p")).build(Void.self, to: Void.self)
            var logger = Logger(label: "test") { StreamLogHandler.standardError(label: $0) }
            logger.logLevel = .trace
            try await chain(ChainContext(requestID: "heard", logger: logger))
            await #expect(throws: Failure.self) { try await chain(ChainContext(requestID: "silent")) }
        }
        #expect(
            result.standardOutputContent.isEmpty, "\(String(decoding: result.standardOutputContent, as: UTF8.self))")
        let told = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(told.contains("request succeeded") && told.contains("heard"))
        #expect(!told.contains("silent"))
    }
}

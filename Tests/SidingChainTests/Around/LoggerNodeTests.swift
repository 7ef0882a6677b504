// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Logging
import SidingChain
import SidingNodes
import SidingTesting
import Testing
import TestSupport

@Suite struct LoggerNodeTests {
    @Test func `success and failure are events with their request and place`() async throws {
        let log = RecordedLog()
        let context = ChainContext(requestID: "r1", logger: log.logger)
        #expect(try await LoggerNode(Step<Int, Int> { input, _ in input }).process(1, context) == 1)
        let failing = Step<Int, Int> { _, _ throws(Failure) in
            throw Failure(.contract, phase: .answered, detail: "d").at(node: "n", url: "http://a/?token=…")
        }
        #expect(await LoggerNode(failing).failure(1, context)?.reason == .contract)
        #expect(log.lines.map(\.message) == ["request succeeded", "request failed"])
        #expect(log.lines.map(\.level) == [.debug, .info])
        let failed = log.lines[1].metadata
        #expect(failed["request"] == "r1")
        #expect(failed["failure"] == "contract")
        #expect(failed["phase"] == "answered")
        #expect(failed["node"] == "LoggerNode")
        #expect(failed["failed_node"] == "n")
        #expect(failed["url"] == "http://a/?token=…")
        #expect(failed["took"] != nil)
    }

    @Test func `an excluded node is silent and still runs`() async throws {
        let log = RecordedLog()
        let context = ChainContext(requestID: "r1", logger: log.logger, logExclusions: ["LoggerNode"])
        #expect(try await LoggerNode(Step<Int, Int> { input, _ in input }).process(1, context) == 1)
        #expect(log.lines.isEmpty)
    }

    @Test func `the nodes of a call log their events in order, each with its name`() async throws {
        let log = RecordedLog()
        let context = ChainContext(requestID: "r1", logger: log.logger)
        let transport = ScriptedTransport([.status(.serviceUnavailable), .text("{}")])
        let assembly = ChainAssembly(
            transport: transport, connectivity: TestConnectivity(),
            retry: RetryPolicy(retries: 1, backoff: Backoff(base: .zero)))
        let builder = URLChainBuilder(assembly).route(.get, "/p?token=canary", under: try HTTPURL("http://a"))
        try await builder.build(Void.self, to: Void.self)(context)
        #expect(
            log.lines.map(\.message) == [
                "request is sent", "answer has come", "request will be tried again", "request is sent",
                "answer has come", "request succeeded",
            ])
        #expect(log.lines.map { $0.metadata["order"] } == (1...6).map { "\($0)" })
        #expect(log.lines.allSatisfy { $0.metadata["request"] == "r1" })
        #expect(log.lines[0].metadata["node"] == "RequestSenderNode")
        #expect(log.lines[2].metadata["node"] == "RetryNode")
        #expect(!"\(log.lines)".contains("canary"))
        #expect(log.lines[0].metadata["url"] == "http://a/p?token=…")
    }

    @Test func `a chain leaves out the events of the nodes that it names`() async throws {
        let log = RecordedLog()
        let context = ChainContext(requestID: "r1", logger: log.logger)
        let assembly = ChainAssembly(transport: ScriptedTransport([.text("{}")]), connectivity: TestConnectivity())
        let builder = URLChainBuilder(assembly).route(.get, try HTTPURL("http://a/p"))
        try await builder.log(exclude: ["RequestSenderNode"]).build(Void.self, to: Void.self)(context)
        #expect(log.lines.map(\.message) == ["request succeeded"])
    }

    @Test func `nothing is ever written to standard output, with or without a listener`() async throws {
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

// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingSynchronization

/// What a chain of eight nodes costs beyond a direct call of its transport. Exits with 1 where that is over the target.
///
///     ChainCallBenchmark [--json]
@main struct ChainCallBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.allSatisfy({ $0 == "--json" }) else {
            complain("usage: ChainCallBenchmark [--json]")
            exit(64)
        }
        let report = try await measure()
        print(arguments.isEmpty ? report.text : report.json)
        for miss in report.misses { complain("ChainCallBenchmark: \(miss)") }
        if !report.misses.isEmpty { exit(1) }
    }

    private static func complain(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }

    /// Away from the main actor, as a server's calls are.
    @concurrent private static func measure() async throws -> Report {
        let chains = try Chains()
        let chain = chains.nodes()
        let logged = LoggerNode(chain)
        let limited = LoggerNode(DeadlineNode(chain, limit: .seconds(30)))
        guard try await logged.process(7, Self.context(7)).bytes == chains.direct() else {
            throw Failure(.internalFault, phase: .answered, detail: "the chain and the direct call differ")
        }
        let measurement = Measurement()
        let (direct, added) = try await measurement.run(
            Subject(name: "direct call") { _ = try await chains.direct() },
            [
                Subject(name: "chain") { _ = try await chain.process(7, Self.context(7)) },
                Subject(name: "chain with logger") { _ = try await logged.process(7, Self.context(7)) },
                Subject(name: "and with deadline") { _ = try await limited.process(7, Self.context(7)) },
            ])
        return Report(chain: logged.description, measurement: measurement, direct: direct, added: added, gated: 1)
    }

    /// A context of its own for each call, with the logger that an embedder has who gave none.
    private static func context(_ call: Int) -> ChainContext { ChainContext(requestID: "r\(call)") }
}

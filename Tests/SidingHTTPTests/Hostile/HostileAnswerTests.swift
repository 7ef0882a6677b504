import FoundationEssentials
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingTesting
import Testing

/// No answer ends the process, hangs, or is taken for the answer to another request.
@Suite struct HostileAnswerTests {
    /// A few seeds over one origin.
    struct Block: Sendable, CustomTestStringConvertible {
        let seeds: Range<UInt64>
        let isSecure: Bool
        var testDescription: String { "\(isSecure ? "TLS" : "plain"), seeds \(seeds)" }
    }

    static let blocks: [Block] = {
        let count: UInt64 = Proof.choose(short: 500, middle: 2_000, long: 20_000)
        return stride(from: 0, to: count, by: 50).map {
            Block(seeds: $0..<($0 + 50), isSecure: ($0 / 50).isMultiple(of: 5))
        }
    }()

    @Test(arguments: blocks) func `each answer is read or refused, and the next request is answered`(
        _ block: Block
    ) async throws {
        let origin = try await HostileOrigin.start(isSecure: block.isSecure) { HostileAnswer(seed: $0) }
        let directory = try TemporaryDirectory()
        try Data(TLSOrigin.certificate.utf8).write(to: URL(filePath: directory.path(of: "ca.pem")))
        // One connection, so that each answer arrives where the next request would go.
        let transport = HTTPTransport(
            HTTPTransportConfiguration(
                settings: TransportSettings(
                    idleTimeout: .milliseconds(80), totalTimeout: .seconds(20), maxBody: 1 << 20, concurrency: 1),
                certificateAuthorities: directory.path(of: "ca.pem")))
        for seed in block.seeds {
            try await expectSurvival(of: seed, origin, transport)
        }
        await transport.shutdown()
        await origin.stop()
    }

    private func expectSurvival(of seed: UInt64, _ origin: HostileOrigin, _ transport: HTTPTransport) async throws {
        // Each second seed comes over a connection that has carried an answer before.
        if seed.isMultiple(of: 2) { await expectOrderly(seed, origin, transport) }
        let url = try origin.url.resolve("hostile/\(seed)")
        if let failure = await outcome(of: transport, url, seed) {
            #expect(Self.hasName(failure), "seed \(seed): \(failure)")
            if failure.reason == .timeout(.total) { Issue.record("seed \(seed) was waited for: \(failure)") }
        }
        await expectOrderly(seed, origin, transport)
    }

    /// Whether the failure is one of the answer or of the connection, and not one that nobody knew.
    private static func hasName(_ failure: Failure) -> Bool {
        switch failure.reason {
        case .internalFault, .userCode, .cancelled, .system(.unknown): false
        default: true
        }
    }

    private func outcome(of transport: HTTPTransport, _ url: HTTPURL, _ seed: UInt64) async -> Failure? {
        do throws(Failure) {
            let reply =
                switch seed % 5 {
                case 0: try await transport.send(url.request(.post), body: .bytes(Array(repeating: 32, count: 100_000)))
                case 1: try await transport.send(url.request(.head), body: .none)
                default: try await transport.send(url.request(.get), body: .none)
                }
            _ = try await reply.body.collect(upTo: 1 << 21)
            return nil
        } catch {
            return error
        }
    }

    private func expectOrderly(_ seed: UInt64, _ origin: HostileOrigin, _ transport: HTTPTransport) async {
        for _ in 0..<20 {
            do throws(Failure) {
                let url = try origin.url.resolve("orderly/\(seed)")
                let reply = try await transport.send(url.request(.get), body: .none)
                let body = try await reply.body.collect(upTo: 100)
                #expect(String(decoding: body, as: UTF8.self) == "\(seed)", "seed \(seed): another request's answer")
                return
            } catch {
                // The connection that the hostile answer ended may be found out only now, or the machine be slow.
                continue
            }
        }
        Issue.record("seed \(seed): nothing is answered any more")
    }
}

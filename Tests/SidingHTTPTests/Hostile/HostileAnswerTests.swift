// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingTesting
import Testing
import TestSupport

/// No answer ends the process, hangs, or is taken for the answer to another request.
@Suite struct HostileAnswerTests {
    /// The seeds that several lanes share, each lane with an origin and a connection of its own.
    struct Block: Sendable, CustomTestStringConvertible {
        static let lanes: UInt64 = 8
        static let seedsPerLane: UInt64 = 25

        let first: UInt64
        let isSecure: Bool

        var lanes: [Range<UInt64>] {
            (0..<Self.lanes).map { lane in
                let start = first + lane * Self.seedsPerLane
                return start..<(start + Self.seedsPerLane)
            }
        }
        var testDescription: String {
            "\(isSecure ? "TLS" : "plain"), seeds \(first)..<\(first + Self.lanes * Self.seedsPerLane)"
        }
    }

    static let blocks: [Block] = {
        let count: UInt64 = Proof.choose(short: 600, middle: 1_200, long: 20_000)
        let step = Block.lanes * Block.seedsPerLane
        return stride(from: 0, to: count, by: Int(step)).map {
            Block(first: $0, isSecure: ($0 / step) % 4 == 1)
        }
    }()

    @Test(arguments: blocks) func `each answer is read or refused, and the next request is answered`(
        _ block: Block
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seeds in block.lanes {
                group.addTask { try await expectSurvival(of: seeds, isSecure: block.isSecure) }
            }
            try await group.waitForAll()
        }
    }

    private func expectSurvival(of seeds: Range<UInt64>, isSecure: Bool) async throws {
        let origin = try await HostileOrigin.start(isSecure: isSecure) { HostileAnswer(seed: $0) }
        let directory = try TemporaryDirectory()
        try directory.write(TLSOrigin.certificate, to: "ca.pem")
        // One connection, so that each answer arrives where the next request would go.
        let transport = HTTPTransport(
            HTTPTransportConfiguration(
                settings: TransportSettings()
                    .with(\.idleTimeout, .milliseconds(80))
                    .with(\.totalTimeout, .seconds(20))
                    .with(\.maxBody, 1 << 20)
                    .with(\.concurrency, 1)
                    .with(\.tls, TLSSettings(authorities: directory.path(of: "ca.pem"), trustsOnlyAuthorities: true))))
        for seed in seeds { try await expectSurvival(of: seed, origin, transport) }
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
    static func hasName(_ failure: Failure) -> Bool {
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
                let text = String(decoding: body, as: UTF8.self)
                // The second of two answers to one request looks like the answer to the next: RFC 9112, section 9.2, gives
                // a client no means to know. Its origin has then closed the connection.
                if text != "\(seed)", HostileAnswer(seed: seed).mayHoldTwoAnswers { continue }
                #expect(text == "\(seed)", "seed \(seed): another request's answer")
                return
            } catch {
                // The connection that the hostile answer ended may be found out only now, or the machine be slow.
                continue
            }
        }
        Issue.record("seed \(seed): nothing is answered any more")
    }
}

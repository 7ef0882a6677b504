// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingTesting
import Testing
import TestSupport

/// No answer to CONNECT ends the process, hangs, or counts as an answer of a secure origin.
@Suite struct HostileProxyTests {
    private static let lanes: UInt64 = 8
    private static let seedsPerLane: UInt64 = Proof.choose(short: 25, middle: 50, long: 1_000)

    @Test(arguments: ["http", "https"]) func `each answer to CONNECT is a failure with a name`(
        _ scheme: String
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<Self.lanes {
                let seeds = (lane * Self.seedsPerLane)..<((lane + 1) * Self.seedsPerLane)
                group.addTask { try await expectFailures(of: seeds, scheme) }
            }
            try await group.waitForAll()
        }
    }

    private func expectFailures(of seeds: Range<UInt64>, _ scheme: String) async throws {
        let proxy = try await HostileOrigin.start { HostileAnswer(seed: $0) }
        let transport = HTTPTransport(
            HTTPTransportConfiguration(
                settings: TransportSettings()
                    .with(\.connectTimeout, .milliseconds(150))
                    .with(\.idleTimeout, .milliseconds(80))
                    .with(\.totalTimeout, .seconds(20))
                    .with(\.maxBody, 1 << 20)
                    .with(\.allowsPlainHTTP, true)
                    .with(\.proxies, ProxyRules(try Proxy(proxy.url.authority)))))
        for seed in seeds {
            let url = try HTTPURL("\(scheme)://\(seed).example/")
            do throws(Failure) {
                let reply = try await transport.send(url.request(.get), body: .none)
                _ = try await reply.body.collect(upTo: 1 << 21)
                // What comes in the clear, the proxy may answer in place of the origin.
                #expect(scheme == "http", "seed \(seed): nobody had the key of a certificate")
            } catch {
                #expect(HostileAnswerTests.hasName(error), "seed \(seed): \(error)")
                #expect(error.reason != .timeout(.total), "seed \(seed) was waited for: \(error)")
                if scheme == "https" { #expect(error.phase == .notSent, "seed \(seed): \(error)") }
            }
        }
        await transport.shutdown()
        await proxy.stop()
    }
}

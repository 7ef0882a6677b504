// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingOrigin

/// `siding demo --relay`: a local address that forwards to an origin, over a simulated network line that fails at random. It
/// shows how a config copes with bad networks.
struct DemoRelay {
    let origin: String
    let seed: UInt64

    func run() async throws {
        let url: HTTPURL
        do throws(Failure) { url = try HTTPURL(origin) } catch {
            throw CommandError(.usage, "relay", "--relay: \(error.detail ?? "'\(origin)' is no URL")")
        }
        guard url.scheme == "http" else {
            throw CommandError(
                .usage, "relay", "--relay leads to http origins only: a certificate would not fit the relay's address")
        }
        let relay = try await Relay.start(to: url) { state in
            let time = Date.now.formatted(date: .omitted, time: .standard)
            Output.line("\(time)  the line \(Self.description(of: state))")
            Output.flush()
        }
        Output.line("\(relay.url) leads to \(url) over a line that fails at random (--seed \(seed)).")
        Output.line("Write it as base_url, run 'siding sync' as often as you like, and end this with Ctrl-C.")
        Output.flush()
        await relay.follow(
            LineSchedule(
                seed: seed, up: 20_000...2_000_000, down: .seconds(1) ... .seconds(15),
                quality: LineQuality(latency: .milliseconds(150), bytesPerSecond: 100_000)))
        try? await Task.sleep(for: .seconds(86_400 * 365))
        await relay.stop()
    }

    private static func description(of state: LineState) -> String {
        switch state {
        case .up: "is up"
        case .down(.cut): "is cut: connections end"
        case .down(.reset): "is cut: connections are reset"
        case .down(.halfClose): "is cut: answers end, requests would still pass"
        case .down(.blackhole): "is silent, and connections survive"
        case .down(.drop): "is silent, and connections are lost"
        }
    }
}

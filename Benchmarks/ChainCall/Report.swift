// SPDX-License-Identifier: Apache-2.0
import AllocationCounter

/// The figures for a person and for a program, and whether the target is held.
struct Report {
    /// What a call through the chain may cost beyond a direct call: `performance.md`, and room in allocations.
    static let target = Cost(nanoseconds: 5_000, allocations: 20)

    let chain: String
    let measurement: Measurement
    let direct: Measured
    let added: [Measured]
    /// The subject that the target is for.
    let gated: Measured

    private let isCounting = allocation_counter_is_counting()

    init(
        chain: String, measurement: Measurement, direct: Measured, added: [Measured], gated: Int
    ) {
        (self.chain, self.measurement, self.direct, self.added) = (chain, measurement, direct, added)
        self.gated = added[gated]
    }

    /// One sentence for each target that is missed.
    var misses: [String] {
        var misses: [String] = []
        if gated.quietest.nanoseconds > Self.target.nanoseconds {
            misses.append(
                "\(gated.name) adds \(whole(gated.quietest.nanoseconds)) ns to a call, over the target of "
                    + "\(whole(Self.target.nanoseconds)) ns")
        }
        if isCounting, gated.quietest.allocations > Self.target.allocations {
            misses.append(
                "\(gated.name) adds \(tenths(gated.quietest.allocations)) allocations to a call, over the target of "
                    + "\(whole(Self.target.allocations))")
        }
        return misses
    }

    var text: String {
        var lines = [
            "chain call, processor time, medians of \(measurement.passes) passes of \(measurement.calls) calls",
            "  \(chain)",
            line(direct, sign: " ", ratio: ""),
        ]
        for subject in added {
            let ratio = subject.cost.nanoseconds / direct.cost.nanoseconds
            lines.append(line(subject, sign: "+", ratio: "  (\(tenths(ratio)) direct calls)"))
        }
        let held = misses.isEmpty ? "held" : "MISSED"
        lines.append(
            "  target for \(gated.name): +\(whole(Self.target.nanoseconds)) ns, "
                + "+\(whole(Self.target.allocations)) allocations: \(held)"
                + " (+\(whole(gated.quietest.nanoseconds)) ns, +\(tenths(gated.quietest.allocations)) in the quietest passes)"
        )
        return lines.joined(separator: "\n")
    }

    var json: String {
        let subjects = added.map { "    \"\($0.name)\": \(object($0.cost))" }.joined(separator: ",\n")
        return """
            {
              "passes": \(measurement.passes),
              "calls": \(measurement.calls),
              "direct": \(object(direct.cost)),
              "added": {
            \(subjects)
              },
              "target": { "of": "\(gated.name)", "ns": \(whole(Self.target.nanoseconds)), "allocations": \(whole(Self.target.allocations)) },
              "quietest": \(object(gated.quietest)),
              "held": \(misses.isEmpty)
            }
            """
    }

    private func line(_ subject: Measured, sign: String, ratio: String) -> String {
        let name = subject.name + String(repeating: " ", count: max(0, 24 - subject.name.count))
        let blocks =
            isCounting ? "\(sign)\(tenths(subject.cost.allocations)) allocations" : "allocations not counted here"
        return "  \(name) \(sign)\(whole(subject.cost.nanoseconds)) ns  \(blocks)\(ratio)"
    }

    private func object(_ cost: Cost) -> String {
        "{ \"ns\": \(whole(cost.nanoseconds)), \"allocations\": \(isCounting ? tenths(cost.allocations) : "null") }"
    }

    private func whole(_ number: Double) -> String { String(Int(number.rounded())) }
    private func tenths(_ number: Double) -> String { String((number * 10).rounded() / 10) }
}

// SPDX-License-Identifier: Apache-2.0
/// Figures of one kind of load, and whether those that have a bar are within it.
struct Report {
    struct Figure {
        let name: String
        let value: Double
        let unit: String
        var bar: Bar?
    }

    enum Bar {
        case atMost(Double)
        case atLeast(Double)
        case exactly(Double)
    }

    let title: String
    private(set) var figures: [Figure] = []

    init(_ title: String) { self.title = title }

    mutating func add(_ name: String, _ value: Double, _ unit: String, _ bar: Bar? = nil) {
        figures.append(Figure(name: name, value: value, unit: unit, bar: bar))
    }

    mutating func add(_ name: String, _ times: [Duration], _ bar: Bar? = nil, at share: Double) {
        add(name, times.sorted()[min(times.count - 1, Int(Double(times.count) * share))].milliseconds, "ms", bar)
    }

    var isHeld: Bool { figures.allSatisfy(\.isHeld) }

    var text: String { ([title] + figures.map(\.line)).joined(separator: "\n") }
}

extension Report.Figure {
    var isHeld: Bool {
        switch bar {
        case .atMost(let most)?: value <= most
        case .atLeast(let least)?: value >= least
        case .exactly(let wanted)?: value == wanted
        case nil: true
        }
    }

    fileprivate var line: String {
        let padding = String(repeating: " ", count: max(1, 58 - name.count))
        return "  \(name)\(padding)\(Self.rounded(value)) \(unit)\(barText)"
    }

    private var barText: String {
        let words =
            switch bar {
            case .atMost(let most)?: "at most \(Self.rounded(most))"
            case .atLeast(let least)?: "at least \(Self.rounded(least))"
            case .exactly(let wanted)?: "exactly \(Self.rounded(wanted))"
            case nil: ""
            }
        return words.isEmpty ? "" : "  (\(words): \(isHeld ? "held" : "MISSED"))"
    }

    private static func rounded(_ number: Double) -> String {
        number == number.rounded() ? String(Int(number)) : String((number * 100).rounded() / 100)
    }
}

extension Duration {
    var milliseconds: Double {
        Double(components.seconds) * 1_000 + Double(components.attoseconds) / 1_000_000_000_000_000
    }
}

// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON

/// A metric with its samples, in Prometheus' text format, version 0.0.4
/// (<https://prometheus.io/docs/instrumenting/exposition_formats/>).
struct MetricFamily {
    enum Kind: String {
        case counter, gauge, histogram, summary
    }

    struct Sample {
        /// What follows the name, such as `_count`.
        var suffix = ""
        var labels: [(name: String, value: String)] = []
        var value: Double
    }

    let name: String
    let kind: Kind
    let help: String
    var samples: [Sample]

    /// The lines of all families, in the given order; one without samples is left out.
    static func text(_ families: [MetricFamily]) -> String { families.map(\.text).joined() }

    private var text: String {
        guard !samples.isEmpty else { return "" }
        let head = "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
        return samples.reduce(into: head) { text, sample in
            let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }
            let list = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
            text += "\(name)\(sample.suffix)\(list) \(Self.number(sample.value))\n"
        }
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        text.escaping(["\\": "\\\\", "\n": "\\n", "\"": quotes ? "\\\"" : "\""])
    }

    /// As Go's ParseFloat reads it.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map(String.init) ?? value.description
    }
}

extension MetricFamily {
    /// A gauge without labels; without samples if there is no value.
    static func gauge(_ name: String, _ help: String, _ value: Double?) -> MetricFamily {
        MetricFamily(name: name, kind: .gauge, help: help, samples: value.map { [Sample(value: $0)] } ?? [])
    }

    /// A gauge with a sample for each element that has a value.
    static func gauge<Element>(
        _ name: String, _ help: String, of elements: [Element], labels: (Element) -> [(name: String, value: String)],
        _ value: (Element) -> Double?
    ) -> MetricFamily {
        let samples = elements.compactMap { element in
            value(element).map { Sample(labels: labels(element), value: $0) }
        }
        return MetricFamily(name: name, kind: .gauge, help: help, samples: samples)
    }
}

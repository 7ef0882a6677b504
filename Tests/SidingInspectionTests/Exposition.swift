// SPDX-License-Identifier: Apache-2.0
/// A strict reader of Prometheus' text format, version 0.0.4: what Prometheus would refuse, it refuses.
struct Exposition {
    struct Refusal: Error {
        let line: String
    }

    /// The type of each family.
    private(set) var types: [String: String] = [:]
    /// The value of each series as it is written: `a_total{source="api"}`.
    private(set) var values: [String: Double] = [:]
    /// The labels of each series, unescaped.
    private(set) var labels: [String: [String: String]] = [:]

    init(_ text: String) throws {
        guard text.isEmpty || text.hasSuffix("\n") else { throw Refusal(line: "no line break at the end") }
        var (family, helped) = ("", Set<String>())
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let refusal = Refusal(line: String(line))
            if let help = line.wholeMatch(of: /# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (\S.*)/) {
                family = String(help.1)
                guard helped.insert(family).inserted else { throw refusal }
            } else if let type = line.wholeMatch(of: /# TYPE (\S+) (counter|gauge|histogram|summary)/) {
                guard type.1 == family, types.updateValue(String(type.2), forKey: family) == nil else { throw refusal }
            } else {
                guard let sample = line.wholeMatch(of: /([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)/),
                    let type = types[family], Self.suffixes[type]?.contains(sample.1.dropFirst(family.count)) ?? false,
                    sample.1.hasPrefix(family), type != "counter" || family.hasSuffix("_total"),
                    let value = Self.number(sample.3)
                else { throw refusal }
                let series = line.dropLast(sample.3.count + 1)
                guard values.updateValue(value, forKey: String(series)) == nil else { throw refusal }
                labels[String(series)] = try sample.2.map { try Self.labels($0, refusal) } ?? [:]
            }
        }
    }

    private static let suffixes: [String: [Substring]] = [
        "counter": [""], "gauge": [""], "histogram": ["_bucket", "_sum", "_count"], "summary": ["_sum", "_count"],
    ]

    private static func number(_ text: Substring) -> Double? {
        if text == "+Inf" { return .infinity }
        return text.contains("n") ? nil : Double(text)
    }

    private static func labels(_ text: Substring, _ refusal: Refusal) throws -> [String: String] {
        var (labels, rest) = ([String: String](), text)
        while !rest.isEmpty {
            guard let label = rest.prefixMatch(of: /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\["\\n])*)"(?:,|$)/) else {
                throw refusal
            }
            let value = label.2.replacing(/\\(.)/) { $0.1 == "n" ? "\n" : String($0.1) }
            guard labels.updateValue(String(value), forKey: String(label.1)) == nil else { throw refusal }
            rest = rest[label.range.upperBound...]
        }
        return labels
    }
}

import ArgumentParser

/// A duration on the command line: `500ms`, `30s`, `15m`, `2h`, `7d`.
struct DurationArgument: ExpressibleByArgument, Sendable {
    let duration: Duration

    var defaultValueDescription: String { "\(duration.components.seconds)s" }

    init(_ duration: Duration) {
        self.duration = duration
    }

    init?(argument: String) {
        let units: [(suffix: String, milliseconds: Double)] = [
            ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
        ]
        guard let unit = units.first(where: { argument.hasSuffix($0.suffix) }),
            let number = Double(argument.dropLast(unit.suffix.count)), number >= 0, number * unit.milliseconds < 1e15
        else { return nil }
        duration = .milliseconds(Int64(number * unit.milliseconds))
    }
}

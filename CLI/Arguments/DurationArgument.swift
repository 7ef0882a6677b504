// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingChain

/// A duration on the command line: `500ms`, `30s`, `15m`, `2h`, `7d`.
struct DurationArgument: ExpressibleByArgument, Sendable {
    let duration: Duration

    var defaultValueDescription: String { "\(duration.components.seconds)s" }

    init(_ duration: Duration) {
        self.duration = duration
    }

    init?(argument: String) {
        guard let duration = DurationText.parse(argument) else { return nil }
        self.duration = duration
    }
}

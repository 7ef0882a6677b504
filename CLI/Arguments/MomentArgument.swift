// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Siding
import SidingChain

/// A point in time on the command line: RFC 3339, a date (midnight UTC), or an age (`2h`).
enum MomentArgument: ExpressibleByArgument, Sendable {
    case at(Timestamp)
    case ago(Duration)

    init?(argument: String) {
        if let moment = Timestamp(rfc3339: argument) {
            self = .at(moment)
        } else if let duration = DurationArgument(argument: argument)?.duration {
            self = .ago(duration)
        } else {
            return nil
        }
    }

    func moment(before now: Timestamp) -> Timestamp {
        switch self {
        case .at(let moment): moment
        case .ago(let duration): now + (.zero - duration)
        }
    }
}

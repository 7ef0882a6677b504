// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

/// How long the slow proof tests run, set by `SIDING_PROOF` in the environment.
///
/// Every length proves the same; a longer one uses more seeds and kills more processes.
package enum Proof: Sendable {
    /// The default: seconds for each proof, so that all tests can be run often.
    case short
    /// `SIDING_PROOF=middle`: used in continuous integration.
    case middle
    /// `SIDING_PROOF=1`: every page, every seed. Takes hours, alone on the machine.
    case long

    package static let length: Proof =
        switch ProcessInfo.processInfo.environment["SIDING_PROOF"] {
        case "1": .long
        case "middle": .middle
        default: .short
        }

    /// Whether this is a build with ThreadSanitizer, whose own memory and time pass the bars of the tests that measure.
    package static let isUnderThreadSanitizer: Bool = {
        #if SIDING_THREAD_SANITIZER
            true
        #else
            false
        #endif
    }()

    /// `SIDING_SEED`: the only seed that seeded proofs play, to look into a failure of theirs.
    package static let seed = ProcessInfo.processInfo.environment["SIDING_SEED"].flatMap(UInt64.init)

    /// In the short length every `stride`th of the cases, from the second on; else all of them.
    package static func sample<Cases: Sequence>(_ cases: Cases, every stride: Int) -> [Cases.Element] {
        guard length == .short else { return Array(cases) }
        return cases.enumerated().filter { $0.offset % stride == 1 }.map(\.element)
    }

    /// The value for the length of this run.
    package static func choose<Value>(short: Value, middle: Value, long: Value) -> Value {
        switch length {
        case .short: short
        case .middle: middle
        case .long: long
        }
    }
}

internal import FoundationEssentials

/// How much of the slow proofs runs: `SIDING_PROOF` in the environment says it.
///
/// What they prove is the same in every length; a longer one draws more seeds, and kills more processes.
package enum Proof: Sendable {
    /// Nothing is set: seconds for each proof, so that all tests can be run often.
    case short
    /// `SIDING_PROOF=middle`: what continuous integration runs.
    case middle
    /// `SIDING_PROOF=1`: every page, every seed. Hours, alone on the machine.
    case long

    package static let length: Proof =
        switch ProcessInfo.processInfo.environment["SIDING_PROOF"] {
        case "1": .long
        case "middle": .middle
        default: .short
        }

    /// What belongs to the length of this run.
    package static func choose<Value>(short: Value, middle: Value, long: Value) -> Value {
        switch length {
        case .short: short
        case .middle: middle
        case .long: long
        }
    }
}

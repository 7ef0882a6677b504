// SPDX-License-Identifier: Apache-2.0
/// The exit codes, which are stable: those of `sysexits.h` where one fits, else Siding's own.
enum ExitStatus: Int32, Error, CaseIterable {
    case success = 0
    case failure = 1
    case partial = 3
    case deletionGuard = 4
    case stale = 5
    case locked = 11
    case usage = 64
    case data = 65
    case notFound = 66
    case refused = 69
    case software = 70
    case inputOutput = 74
    case queued = 75
    case signIn = 77
    case config = 78
    case interrupted = 130
    case terminated = 143

    /// The most important of several codes: signals and broken set-ups, then partial results, then the rest.
    static func combining(_ all: [ExitStatus], savedAnything: Bool) -> ExitStatus {
        let grave: [ExitStatus] = [
            .interrupted, .terminated, .usage, .inputOutput, .software, .config, .signIn, .deletionGuard,
        ]
        if let first = grave.first(where: all.contains) { return first }
        let failures: [ExitStatus] = [.refused, .data, .notFound, .failure]
        if all.contains(.partial) || (savedAnything && all.contains(where: failures.contains)) { return .partial }
        let order = failures + [.locked, .queued, .stale]
        return order.first(where: all.contains) ?? .success
    }

    /// The combined code of a command's parts, nil for parts that had nothing to do; nil if all are.
    static func combining(_ parts: [ExitStatus?]) -> ExitStatus? {
        let all = parts.compactMap(\.self)
        return all.isEmpty ? nil : combining(all, savedAnything: all.contains(.success))
    }

    /// Whether a signal ended the command.
    var isStop: Bool { self == .interrupted || self == .terminated }
}

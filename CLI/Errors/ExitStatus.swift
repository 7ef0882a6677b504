/// The exit codes, which are a promise: `sysexits.h` where it has a word for it, and few of our own.
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

    /// The one that counts where several apply: stops and broken set-ups before partial results, those before the rest.
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

    /// The one that counts of several parts of a command; nil stands for a part that had nothing to do.
    static func combining(_ parts: [ExitStatus?]) -> ExitStatus? {
        let all = parts.compactMap(\.self)
        return all.isEmpty ? nil : combining(all, savedAnything: all.contains(.success))
    }

    /// Whether a signal ended the command.
    var isStop: Bool { self == .interrupted || self == .terminated }
}

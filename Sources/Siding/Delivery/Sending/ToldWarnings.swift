// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// The warnings that a sender has given: each is given once, however many writes it is about.
final class ToldWarnings: Sendable {
    private let warnings = Mutex<Set<String>>([])

    /// - Returns: whether it was not given before.
    func insert(_ warning: String) -> Bool { warnings.withLock { $0.insert(warning).inserted } }
}

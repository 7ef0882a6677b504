// SPDX-License-Identifier: Apache-2.0
public import SidingChain
internal import SidingOrigin
internal import SidingSynchronization

extension Jitter {
    /// The same jitter on every run: numbers from a generator with this seed.
    public static func seeded(_ seed: UInt64) -> Jitter {
        let source = SeededSource(seed)
        return Jitter { source.next() }
    }
}

private final class SeededSource: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(_ seed: UInt64) {
        generator = Mutex(SeededGenerator(seed: seed))
    }

    func next() -> Double {
        generator.withLock { Double.random(in: 0..<1, using: &$0) }
    }
}

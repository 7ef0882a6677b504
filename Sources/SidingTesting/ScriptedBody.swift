internal import SidingChain
internal import SidingSynchronization

/// Gives its chunks one by one, then its ending.
final class ScriptedBody: Sendable {
    private let rest: Mutex<[[UInt8]]>
    private let ending: Failure?

    init(_ chunks: [[UInt8]], _ ending: Failure?) {
        self.rest = Mutex(chunks.reversed())
        self.ending = ending
    }

    func next() throws(Failure) -> [UInt8]? {
        if let chunk = rest.withLock({ $0.popLast() }) { return chunk }
        if let ending { throw ending }
        return nil
    }
}

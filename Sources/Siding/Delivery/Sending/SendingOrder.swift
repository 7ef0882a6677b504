// SPDX-License-Identifier: Apache-2.0
/// The order in which the due writes of sources are sent: side by side, so that one that hangs or has to wait holds up its own
/// alone, and again for a source whose writes may have waited for those of another one.
package struct SendingOrder {
    /// The most sources that a drain, a run or a service works for at once: each holds pages in memory, and all of them share one
    /// writer.
    package static let mostSources = 16

    private(set) var waiting: [String]
    private(set) var underWay: Set<String> = []

    package init(_ sources: [String]) { waiting = sources }

    var isDone: Bool { waiting.isEmpty && underWay.isEmpty }

    /// Takes the source whose writes may be sent next; nil if none may before something else ends.
    ///
    /// - Parameter others: the sources that are busy with something else, once for each such work.
    package mutating func begin(besides others: [String] = []) -> String? {
        guard underWay.count + others.count < Self.mostSources,
            let index = waiting.firstIndex(where: { !underWay.contains($0) && !others.contains($0) })
        else { return nil }
        let source = waiting.remove(at: index)
        underWay.insert(source)
        return source
    }

    /// Takes that the due writes of a source were sent.
    ///
    /// - Parameter due: sources whose writes are to be sent once more, as some have become due.
    package mutating func end(_ source: String, due: Set<String> = []) {
        underWay.remove(source)
        add(due)
    }

    /// Takes sources whose writes have become due.
    mutating func add(_ sources: Set<String>) { waiting += sources.subtracting(waiting).sorted() }
}

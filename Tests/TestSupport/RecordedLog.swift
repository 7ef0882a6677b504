// SPDX-License-Identifier: Apache-2.0
package import Logging
internal import SidingSynchronization

/// Keeps what is logged, for a test to compare.
package final class RecordedLog: Sendable {
    /// One event. Its description is what a log shows: `warning the sync failed resource=posts`, the metadata ordered by key.
    package struct Line: Sendable, CustomStringConvertible {
        package let level: Logger.Level
        package let message: String
        /// The metadata of the event, and that of its logger.
        package let metadata: [String: String]

        package var description: String {
            let values = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
            return "\(level) \(message)\(values.joined())"
        }
    }

    private let level: Logger.Level
    private let kept = Mutex<[Line]>([])

    /// - Parameter level: events below it are not kept.
    package init(_ level: Logger.Level = .trace) {
        self.level = level
    }

    /// Every event so far, in order.
    package var lines: [Line] { kept.withLock { $0 } }

    /// A logger that writes here.
    package var logger: Logger { Logger(label: "test") { _ in Handler(log: self, logLevel: level) } }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
            let line = Line(level: event.level, message: "\(event.message)", metadata: metadata)
            log.kept.withLock { $0.append(line) }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import SidingInspection
import Logging
import Siding
import SidingChain

/// Writes log events to standard error, one line each, as text or JSON.
struct LogLine: LogHandler {
    let format: GlobalOptions.LogFormat
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .error

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, own in own }.sorted { $0.key < $1.key }
        switch format {
        case .text:
            let values = all.map { " \($0.key)=\(PlainText.oneLine("\($0.value)"))" }.joined()
            Output.printMessage("\(event.level): \(event.message)\(values)")
        case .json:
            var object: JSONObject = [
                "at": WallClock.system.now, "level": event.level.rawValue, "message": event.message.description,
            ]
            for (key, value) in all { object.add(key, "\(value)") }
            Output.printMessage(object.text)
        }
    }
}

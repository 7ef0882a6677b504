import SidingJSON
import SidingInspection
import Foundation
import SidingChain

/// Writes data to standard output and messages to standard error.
enum Output {
    private static let data = OutputFile(STDOUT_FILENO)

    /// Writes a line of data.
    static func line(_ text: String) { write(Array((text + "\n").utf8)) }

    /// Writes an object of `--json` on a line.
    static func line(_ object: JSONObject) { line(object.text) }

    /// Writes bytes of data; they are buffered until ``flush()`` or until the buffer is full.
    static func write(_ bytes: [UInt8]) { data.append(bytes) }

    static func flush() { data.flush() }

    /// Writes a message for the user to standard error. It may contain text from outside, so control characters are removed.
    static func printMessage(_ text: String) {
        flush()
        draw(plain(text) + "\n")
    }

    /// `text` without control characters but its line breaks.
    static func plain(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { PlainText.oneLine(String($0), limit: .max) }.joined(separator: "\n")
    }

    /// Writes to standard error without a line end.
    static func draw(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // Standard error is closed or full: nobody can be informed, and the work continues.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

import SidingJSON
import Foundation
import SidingChain

/// Where words go: data to standard output, talk to standard error.
enum Output {
    private static let data = OutputFile(STDOUT_FILENO)

    /// Writes a line of data.
    static func line(_ text: String) { write(Array((text + "\n").utf8)) }

    /// Writes bytes of data; they reach the reader with ``flush()``, or when enough has gathered.
    static func write(_ bytes: [UInt8]) { data.append(bytes) }

    static func flush() { data.flush() }

    /// Writes lines for the person who watches. Names and messages in them may come from outside: nothing that a terminal
    /// would act upon gets through.
    static func talk(_ text: String) {
        flush()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        draw(lines.map { PlainText.oneLine(String($0), limit: .max) }.joined(separator: "\n") + "\n")
    }

    /// Writes to standard error without a line's end.
    static func draw(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // What cannot be said to a closed or full standard error cannot be said at all; the work goes on.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

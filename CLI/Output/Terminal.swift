// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Whether standard output and error are terminals, their width, and whether colour is allowed.
struct Terminal {
    let isOutput: Bool
    let isError: Bool
    let width: Int
    let hasColor: Bool

    /// The terminal of this process. `NO_COLOR`, `TERM=dumb` and `--no-color` turn colour off.
    static func current(noColor: Bool, environment: [String: String] = ProcessInfo.processInfo.environment) -> Terminal
    {
        let isOutput = isatty(STDOUT_FILENO) == 1
        let isError = isatty(STDERR_FILENO) == 1
        let isDumb = environment["TERM"] == "dumb"
        let hasColor = isOutput && !noColor && !isDumb && (environment["NO_COLOR"] ?? "").isEmpty
        return Terminal(
            isOutput: isOutput, isError: isError && !isDumb, width: Self.columns(environment), hasColor: hasColor)
    }

    private static func columns(_ environment: [String: String]) -> Int {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return environment["COLUMNS"].flatMap(Int.init) ?? 80
    }
}

// SPDX-License-Identifier: Apache-2.0
/// The destination of an export.
protocol ExportTarget: Sendable {
    func write(_ bytes: [UInt8]) throws
    /// Completes the output after the last `write`.
    func finish() throws
    /// Ends an incomplete export, so that no partial file can be taken for a complete one. Harmless after `finish`.
    func abandon()
}

/// An export to standard output; ``Output`` ends the process if writing fails. A terminal gets no control characters.
struct StandardOutput: ExportTarget {
    let isTerminal: Bool

    func write(_ bytes: [UInt8]) {
        Output.write(isTerminal ? Array(Output.plain(String(decoding: bytes, as: UTF8.self)).utf8) : bytes)
    }

    func finish() { Output.flush() }
    func abandon() { Output.flush() }
}

/// Where an export goes.
protocol ExportTarget: Sendable {
    func write(_ bytes: [UInt8]) throws
    /// All is written.
    func finish() throws
    /// It will not be finished: nothing of it stays where somebody could take it for the whole.
    func abandon()
}

/// Standard output, which ends the process by itself where it cannot be written.
struct StandardOutput: ExportTarget {
    func write(_ bytes: [UInt8]) { Output.write(bytes) }
    func finish() { Output.flush() }
    func abandon() { Output.flush() }
}

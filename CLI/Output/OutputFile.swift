// SPDX-License-Identifier: Apache-2.0
import SidingSynchronization

/// Buffers standard output and writes it in large pieces.
final class OutputFile: Sendable {
    private static let capacity = 65_536
    private let descriptor: Int32
    private let pending = Mutex<[UInt8]>([])

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    func append(_ bytes: [UInt8]) {
        let isFull = pending.withLock { pending in
            pending += bytes
            return pending.count >= Self.capacity
        }
        if isFull { flush() }
    }

    func flush() {
        let bytes = pending.withLock { pending in
            defer { pending.removeAll(keepingCapacity: true) }
            return pending
        }
        do { try FileSystem.writeAll(bytes, to: descriptor) } catch { lost(error) }
    }

    /// Ends the process after a failed write. If the reader went away (`| head`), it ends quietly as SIGPIPE would; other errors,
    /// such as a full disk, are reported.
    private func lost(_ error: SystemError) -> Never {
        if error.code == EPIPE { exit(141) }
        Output.printMessage("siding: standard output cannot be written: \(error.message)")
        exit(ExitStatus.inputOutput.rawValue)
    }
}

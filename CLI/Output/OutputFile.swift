import Foundation
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
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { whole in
                let rest = UnsafeRawBufferPointer(rebasing: whole[written...])
                return Foundation.write(descriptor, rest.baseAddress, rest.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { lost() }
            written += count
        }
    }

    /// Ends the process after a failed write. If the reader went away (`| head`), it ends quietly as SIGPIPE would; other errors,
    /// such as a full disk, are reported.
    private func lost() -> Never {
        if errno == EPIPE { exit(141) }
        Output.printMessage("siding: standard output cannot be written: \(String(cString: strerror(errno)))")
        exit(ExitStatus.inputOutput.rawValue)
    }
}

import Foundation

/// A file that is made whole or not at all, for its owner alone.
struct NewFile {
    let path: String
    /// Whether a file that is there is replaced.
    let isReplacing: Bool

    /// - Throws: ``CommandError``, 64 where the file is there already, 74 where it cannot be written.
    func write(_ text: String) throws {
        let temporary = "\(path).\(ProcessInfo.processInfo.processIdentifier).new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw fault(errno) }
        defer { unlink(temporary) }
        var problem = Self.write(Array(text.utf8), to: descriptor)
        if fsync(descriptor) != 0, problem == 0 { problem = errno }
        if close(descriptor) != 0, problem == 0 { problem = errno }
        // A link fails where the name is taken, which a rename would not.
        if problem == 0, (isReplacing ? rename(temporary, path) : link(temporary, path)) != 0 { problem = errno }
        if problem != 0 { throw fault(problem) }
    }

    /// The error number; 0 where all was written.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return errno }
            written += count
        }
        return 0
    }

    private func fault(_ number: Int32) -> CommandError {
        if number == EEXIST {
            return CommandError(.usage, "exists", "\(path) is there already", hint: "--force replaces it")
        }
        return CommandError(
            .inputOutput, "input_output", "\(path) cannot be written: \(String(cString: strerror(number)))")
    }
}

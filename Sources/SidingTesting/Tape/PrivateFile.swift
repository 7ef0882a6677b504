internal import SidingSynchronization

/// Writes a file atomically, readable by its owner only.
enum PrivateFile {
    /// Writes `bytes` to a temporary file, mode 0600 whatever the umask, and renames it to `path`.
    static func replace(_ path: String, with bytes: [UInt8]) throws(TapeError) {
        let partial = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36)).partial"
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw fault(path) }
        let isWritten = fchmod(descriptor, 0o600) == 0 && write(bytes, to: descriptor) && fsync(descriptor) == 0
        let code = errno
        guard close(descriptor) == 0, isWritten, rename(partial, path) == 0 else {
            let shown = isWritten ? errno : code
            unlink(partial)
            throw fault(path, shown)
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { all in
            var rest = all[...]
            while !rest.isEmpty {
                let count = SidingSynchronization.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    private static func fault(_ path: String, _ code: Int32 = errno) -> TapeError {
        TapeError(path: path, "it cannot be written: \(String(cString: strerror(code)))")
    }
}

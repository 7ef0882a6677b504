import Glibc

/// Reads lock files and pages of `/proc`. Never the database or its companions: closing a second descriptor of those
/// drops SQLite's locks in the whole process (sqlite.org/howtocorrupt.html, section 2.2).
enum SmallFile {
    static func text(at path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return text(from: descriptor)
    }

    static func text(from descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = pread(descriptor, &chunk, chunk.count, off_t(bytes.count))
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }
}

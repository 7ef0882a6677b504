import Glibc

/// Who holds a lock file: the kernel knows, so nobody has to write it down for each transaction.
enum LockHolder {
    /// "held by process 1234 (siding)", or what can be said without knowing.
    static func describe(_ path: String) -> String {
        // The kernel hands the list out in pieces, between which it may change: a line can be missed.
        let attempts = (0..<5).lazy.map { _ in processes(holding: path) }
        guard let holders = attempts.first(where: { !$0.isEmpty }) else { return "held by another process" }
        let names = holders.map { process in
            let name = SmallFile.text(at: "/proc/\(process)/comm")?.split(separator: "\n").first
            return "process \(process)" + (name.map { " (\($0))" } ?? "")
        }
        return "held by " + names.joined(separator: ", ")
    }

    /// A line of `/proc/locks`: `1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF`; device in hexadecimal, then the
    /// inode.
    static func processes(holding path: String) -> [Int] {
        var status = stat()
        guard lstat(path, &status) == 0, let locks = SmallFile.text(at: "/proc/locks") else { return [] }
        // As the C library's major() and minor() take a device number apart (makedev(3)).
        let device = UInt64(status.st_dev)
        let major = (device >> 8) & 0xFFF | (device >> 32) & 0xFFFF_F000
        let minor = device & 0xFF | (device >> 12) & 0xFFFF_FF00
        return locks.split(separator: "\n").compactMap { line -> Int? in
            let fields = line.split(separator: " ")
            guard fields.count >= 6, fields[1] == "FLOCK", let process = Int(fields[4]), process > 0 else { return nil }
            let place = fields[5].split(separator: ":")
            guard place.count == 3, UInt64(place[0], radix: 16) == major, UInt64(place[1], radix: 16) == minor,
                UInt64(place[2]) == UInt64(status.st_ino)
            else { return nil }
            return process
        }
    }
}

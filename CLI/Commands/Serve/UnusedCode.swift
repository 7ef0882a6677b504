// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Code that a service does not run while nothing happens.
///
/// A start and a sync run most of the executable once, and the kernel keeps its pages mapped: more than 35 MB in a service whose own
/// memory is 7 MB.
enum UnusedCode {
    /// Lets the kernel unmap the code of the executable (`MADV_DONTNEED`, madvise(2)). What runs again is mapped again, from the
    /// page cache.
    static func unmap() {
        // By proc_pid_maps(5): address-address permissions offset device inode path.
        guard let executable = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        else { return }
        for line in maps.split(separator: "\n") where line.hasSuffix(" \(executable)") {
            let fields = line.split(separator: " ", maxSplits: 2)
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard fields.count == 3, fields[1] == "r-xp", ends.count == 2 else { continue }
            madvise(UnsafeMutableRawPointer(bitPattern: ends[0]), Int(ends[1] - ends[0]), MADV_DONTNEED)
        }
    }
}

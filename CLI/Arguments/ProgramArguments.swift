// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingSynchronization

/// The words of the command line.
enum ProgramArguments {
    /// Without the program's own name; nil if the system does not show them.
    static let words: [String]? = all.map { Array($0.dropFirst()) }

    /// A statically linked program of Swift looks for its arguments beside the environment at the end of the stack. A library
    /// that is loaded before it (LD_PRELOAD) and sets a variable has moved the environment from there: then the kernel is asked.
    private static let all = CommandLine.arguments.isEmpty ? kernel : CommandLine.arguments

    private static var kernel: [String]? {
        let descriptor = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return (try? FileSystem.readAll(from: descriptor, upTo: 16 << 20)).flatMap(arguments)
    }

    /// The arguments in the form of `/proc/PID/cmdline` (proc(5)): each is followed by a zero byte. Nil if there is none.
    static func arguments(_ bytes: [UInt8]) -> [String]? {
        guard bytes.last == 0 else { return nil }
        return bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}

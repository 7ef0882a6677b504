// SPDX-License-Identifier: Apache-2.0
import Foundation
import Siding
import SidingJSON
import SidingSynchronization

/// A file that appears only once it is complete: it is written beside its final path, synced and renamed.
///
/// Anything but a regular file, such as `/dev/stdout` or a named pipe, is written directly.
final class AtomicFile: ExportTarget {
    private static let capacity = 65_536

    private struct State {
        var descriptor: Int32
        var pending: [UInt8] = []
        var isOver = false
    }

    private let path: String
    /// The path of the temporary file; nil if the target is written directly.
    private let temporary: String?
    private let replaces: Bool
    private let state: Mutex<State>

    /// - Parameters:
    ///   - given: the path as the user gave it.
    ///   - replaces: whether an existing file is replaced.
    ///   - mode: permissions of a new file, less the umask.
    /// - Throws: ``CommandError`` with code 64 if the file exists and must not be replaced, or is `-`; 74 if it cannot be created.
    init(_ given: String, replaces: Bool, mode: mode_t = 0o666) throws {
        path = try Self.place(given, replaces: replaces)
        self.replaces = replaces
        var status = stat()
        let isThere = stat(path, &status) == 0
        if isThere, status.st_mode & S_IFMT != S_IFREG {
            temporary = nil
            state = Mutex(State(descriptor: try Self.open(path, O_WRONLY, mode, as: path)))
            return
        }
        let beside = Self.beside(path)
        let descriptor = try Self.open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode, as: path)
        // A new file gets the permissions that the shell's `>` would give it; a replacement gets those of the old file, and its owner
        // where that is allowed: a service must be able to read its config after root has extended it.
        temporary = beside
        state = Mutex(State(descriptor: descriptor))
        if isThere {
            // Who may not give the file to its owner may be able to leave it to its group.
            if fchown(descriptor, status.st_uid, status.st_gid) != 0 {
                _ = fchown(descriptor, uid_t.max, status.st_gid)
            }
            try setMode(status.st_mode & 0o777)
        }
    }

    deinit { abandon() }

    /// Writes a complete text that only its owner can read, such as a config.
    static func write(_ text: String, to path: String, replaces: Bool) throws {
        let file = try AtomicFile(path, replaces: replaces, mode: 0o600)
        try file.write(Array(text.utf8))
        try file.finish()
    }

    /// Resolves symbolic links, so that they stay in place and their target is replaced.
    private static func place(_ path: String, replaces: Bool) throws -> String {
        guard path != "-" else {
            throw CommandError.usage("'-' is not a file name here", hint: "./- names a file of that name")
        }
        var status = stat()
        guard lstat(path, &status) == 0 else { return path }
        // A dangling link also counts as an existing file.
        let leads = stat(path, &status) == 0
        let kind = leads ? status.st_mode & S_IFMT : S_IFREG
        if kind == S_IFDIR {
            throw CommandError(.inputOutput, "input_output", "\(shown(path)) is a directory", hint: "name a file in it")
        }
        guard kind == S_IFREG else { return path }
        guard replaces else { throw exists(path) }
        guard leads, let resolved = realpath(path, nil) else {
            throw CommandError(
                .inputOutput, "input_output", "\(shown(path)) is a symbolic link to a file that does not exist",
                hint: "create that file or remove the link")
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// - Parameter given: the path to name in errors.
    private static func open(_ path: String, _ flags: Int32, _ mode: mode_t, as given: String) throws -> Int32 {
        while true {
            let descriptor = Foundation.open(path, flags | O_CLOEXEC, mode)
            if descriptor >= 0 { return descriptor }
            if errno != EINTR { throw failure(errno, given) }
        }
    }

    /// A random hidden name in the same directory: a rename is atomic only within one file system.
    private static func beside(_ path: String) -> String {
        let (directory, whole) = FileSystem.split(path)
        var name = whole
        while name.utf8.count > 200 { name.removeLast() }
        return "\(directory).\(name).\(String(UInt64.random(in: .min ... .max), radix: 36)).part"
    }

    /// Lets other accounts read the file, whatever the umask is.
    func letEverybodyRead() throws {
        if temporary != nil { try setMode(0o644) }
    }

    private func setMode(_ mode: mode_t) throws {
        do {
            try state.withLock { state throws(SystemError) in try FileSystem.setMode(mode, of: state.descriptor) }
        } catch {
            throw Self.failure(error.code, path)
        }
    }

    func write(_ bytes: [UInt8]) throws {
        try state.withLock { state in
            state.pending += bytes
            if state.pending.count >= Self.capacity { try flush(&state) }
        }
    }

    private func flush(_ state: inout State) throws {
        do { try FileSystem.writeAll(state.pending, to: state.descriptor) } catch {
            throw Self.failure(error.code, path)
        }
        state.pending.removeAll(keepingCapacity: true)
    }

    func finish() throws {
        try state.withLock { state in
            try flush(&state)
            guard let temporary else { return }
            guard fsync(state.descriptor) == 0 else { throw Self.failure(errno, path) }
            try move(temporary)
            state.isOver = true
            close(state.descriptor)
            // The file is in place, and nothing more can be done for it.
            try? FileSystem.synchronizeDirectory(FileSystem.parent(of: path))
        }
    }

    func abandon() {
        state.withLock { state in
            guard !state.isOver else { return }
            state.isOver = true
            close(state.descriptor)
            if let temporary { unlink(temporary) }
        }
    }

    /// Puts the temporary file in place. Without `replaces` it fails if another process created the file meanwhile.
    private func move(_ temporary: String) throws {
        guard !replaces else {
            guard rename(temporary, path) == 0 else { throw Self.failure(errno, path) }
            return
        }
        do { try FileSystem.moveWithoutReplacing(temporary, to: path) } catch {
            throw error.code == EEXIST ? Self.exists(path) : Self.failure(error.code, path)
        }
    }

    private static func exists(_ path: String) -> CommandError {
        CommandError(.usage, "exists", "\(shown(path)) exists already", hint: "--force replaces it")
    }

    private static func failure(_ code: Int32, _ path: String) -> CommandError {
        let isFull = SystemError(code).isFull
        return CommandError(
            .inputOutput, isFull ? "full" : "input_output",
            "\(shown(path)) cannot be written: \(SystemError(code).message)",
            hint: isFull ? "free space and try again; the unfinished file was removed" : nil)
    }

    private static func shown(_ path: String) -> String { PlainText.oneLine(path, limit: 300) }
}

import Foundation
import Siding
import SidingJSON
import SidingSynchronization

/// A file that is there when it is whole, and not before: it is written beside its place, synced and renamed.
///
/// What is no regular file, `/dev/stdout` or a named pipe, has no place to be renamed to and is written as it is.
final class AtomicFile: ExportTarget {
    private static let capacity = 65_536

    private struct State {
        var descriptor: Int32
        var pending: [UInt8] = []
        var isOver = false
    }

    private let path: String
    /// Nil where the file itself is written.
    private let temporary: String?
    private let replaces: Bool
    private let state: Mutex<State>

    /// - Parameters:
    ///   - given: its path.
    ///   - replaces: whether a file that is there is replaced.
    ///   - mode: of a new file, less the umask.
    /// - Throws: ``CommandError`` with 64 for a file that is there and is not to be replaced, 74 for one that cannot be made.
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
        // A new file is made as the shell's `>` would make it; one that takes another's place is no more open than that.
        if isThere { fchmod(descriptor, status.st_mode & 0o777) }
        temporary = beside
        state = Mutex(State(descriptor: descriptor))
    }

    deinit { abandon() }

    /// Writes a whole text for its owner alone, such as a config.
    static func write(_ text: String, to path: String, replaces: Bool) throws {
        let file = try AtomicFile(path, replaces: replaces, mode: 0o600)
        try file.write(Array(text.utf8))
        try file.finish()
    }

    /// Where the file is to be: behind symbolic links, which stay what they are.
    private static func place(_ path: String, replaces: Bool) throws -> String {
        var status = stat()
        guard lstat(path, &status) == 0 else { return path }
        // A link that leads nowhere is in the way, too.
        let leads = stat(path, &status) == 0
        let kind = leads ? status.st_mode & S_IFMT : S_IFREG
        if kind == S_IFDIR {
            throw CommandError(.inputOutput, "input_output", "\(shown(path)) is a directory", hint: "name a file in it")
        }
        guard kind == S_IFREG else { return path }
        guard replaces else { throw exists(path) }
        guard leads, let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// - Parameter given: what a person calls it.
    private static func open(_ path: String, _ flags: Int32, _ mode: mode_t, as given: String) throws -> Int32 {
        while true {
            let descriptor = Foundation.open(path, flags | O_CLOEXEC, mode)
            if descriptor >= 0 { return descriptor }
            if errno != EINTR { throw failure(errno, given) }
        }
    }

    /// A hidden name of its own, in the same directory: only there a rename is one step.
    private static func beside(_ path: String) -> String {
        let directory = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? ""
        var name = String(path.dropFirst(directory.count))
        while name.utf8.count > 200 { name.removeLast() }
        return "\(directory).\(name).\(String(UInt64.random(in: .min ... .max), radix: 36)).part"
    }

    func write(_ bytes: [UInt8]) throws {
        try state.withLock { state in
            state.pending += bytes
            if state.pending.count >= Self.capacity { try flush(&state) }
        }
    }

    private func flush(_ state: inout State) throws {
        var rest = state.pending[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(state.descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(errno, path) }
            rest = rest.dropFirst(count)
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
            syncDirectory()
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

    /// Without leave to replace, a link is made: unlike a rename it fails where somebody made the file meanwhile.
    private func move(_ temporary: String) throws {
        if !replaces {
            if link(temporary, path) == 0 {
                unlink(temporary)
                return
            }
            if errno == EEXIST { throw Self.exists(path) }
            // A file system without hard links.
            var status = stat()
            if lstat(path, &status) == 0 { throw Self.exists(path) }
        }
        guard rename(temporary, path) == 0 else { throw Self.failure(errno, path) }
    }

    /// So that the rename outlives a power cut; where a directory cannot be synced nothing more can be done.
    private func syncDirectory() {
        let directory = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "."
        let descriptor = Foundation.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func exists(_ path: String) -> CommandError {
        CommandError(.usage, "exists", "\(shown(path)) is there already", hint: "--force replaces it")
    }

    private static func failure(_ code: Int32, _ path: String) -> CommandError {
        let isFull = [ENOSPC, EDQUOT, EFBIG].contains(code)
        return CommandError(
            .inputOutput, isFull ? "full" : "input_output",
            "\(shown(path)) cannot be written: \(String(cString: strerror(code)))",
            hint: isFull ? "make room, and try again: nothing of it was left" : nil)
    }

    private static func shown(_ path: String) -> String { PlainText.oneLine(path, limit: 300) }
}

import FoundationEssentials
import SidingSynchronization
import Testing

/// A directory that is gone when the test ends.
struct TemporaryDirectory {
    let path: String

    static func with<Value>(_ body: (TemporaryDirectory) throws -> Value) throws -> Value {
        let directory = try make()
        defer { directory.remove() }
        return try body(directory)
    }

    static func with<Value>(_ body: (TemporaryDirectory) async throws -> Value) async throws -> Value {
        let directory = try make()
        defer { directory.remove() }
        return try await body(directory)
    }

    private static func make() throws -> TemporaryDirectory {
        let path = FileManager.default.temporaryDirectory.path + "/siding-manifest-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return TemporaryDirectory(path: path)
    }

    private func remove() { try? FileManager.default.removeItem(atPath: path) }

    func write(_ name: String, _ text: String) throws { try write(name, bytes: Array(text.utf8)) }

    func write(_ name: String, bytes: [UInt8], mode: mode_t = 0o600) throws {
        try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"))
        chmod("\(path)/\(name)", mode)
    }

    func makeDirectory(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: false)
    }

    func makePipe(_ name: String) throws { mkfifo("\(path)/\(name)", 0o600) }

    func makeLink(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
    }
}

/// The same numbers on every run.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension TemporaryDirectory {
    /// The process whose number a program wrote into the file `name`.
    func process(_ name: String) throws -> pid_t {
        let text = try String(contentsOf: URL(filePath: "\(path)/\(name)"), encoding: .utf8)
        return try #require(pid_t(text.dropLast()))
    }

    /// Whether a process that was killed is gone; the kernel takes a moment, for which nothing can be awaited.
    static func becomesGone(_ process: pid_t) async throws -> Bool {
        for _ in 0..<500 where !isGone(process) { try await Task.sleep(for: .milliseconds(10)) }
        return isGone(process)
    }

    static func end(_ process: pid_t) { kill(process, SIGKILL) }

    /// Whether a process has ended: there is none of that number, or only what is left for its parent to collect.
    static func isGone(_ process: pid_t) -> Bool {
        guard kill(process, 0) == 0 else { return true }
        let status = (try? String(contentsOf: URL(filePath: "/proc/\(process)/stat"), encoding: .utf8)) ?? ""
        return status.split(separator: ")").last?.hasPrefix(" Z") == true
    }
}

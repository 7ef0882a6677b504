// SPDX-License-Identifier: Apache-2.0
import CSQLite
import Foundation

@testable import SidingSQLite

/// A private directory that goes away with the test.
final class Scratch: Sendable {
    let path: String

    init() {
        let parent = FileManager.default.temporaryDirectory.path
        var template = Array("\(parent)/siding-sqlite-XXXXXX".utf8CString)
        path = mkdtemp(&template).map { String(cString: $0) } ?? ""
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var database: String { path + "/store.db" }

    func file(_ name: String) -> String { path + "/" + name }

    func open(_ change: (inout DatabaseConfiguration) -> Void = { _ in }) async throws -> Database {
        var configuration = DatabaseConfiguration()
        change(&configuration)
        return try await Database.open(at: database, configuration: configuration)
    }

    /// Names and contents of all files: for tests that say that nothing was touched. Only while no connection is open.
    var contents: [String: Data] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.reduce(into: [:]) { $0[$1] = FileManager.default.contents(atPath: file($1)) ?? Data() }
    }

    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
}

/// The permission bits of a file or directory, in octal.
func mode(_ path: String) -> String {
    var status = stat()
    return lstat(path, &status) == 0 ? String(status.st_mode & 0o7777, radix: 8) : "missing"
}

/// SQLite as any other program uses it, without this library.
func foreignProgram(_ path: String, _ script: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    let code = sqlite3_open(path, &handle)
    let result = code == SQLITE_OK ? sqlite3_exec(handle, script, nil, nil, nil) : code
    guard result == SQLITE_OK else { throw ForeignFailure(code: result) }
}

struct ForeignFailure: Error, Equatable {
    let code: Int32
}

/// The error that `work` throws, if it is of this library.
func failure<T>(_ work: () async throws -> T) async -> SQLiteError? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error as? SQLiteError
    }
}

extension Database {
    /// Reads on the connection that writes.
    func read<T: Sendable>(_ body: sending (borrowing Snapshot) throws -> T) throws -> T {
        try openConnection().read(body)
    }

    func integers(_ sql: SQL) throws -> [Int64] {
        try read { try $0.query(sql) { $0.int(0) } }
    }

    nonisolated func backup(to destination: String) async throws {
        try await DatabaseReader.open(at: path, configuration: configuration).backup(to: destination)
    }

    nonisolated func check(quick: Bool = false) async throws -> [String] {
        try await DatabaseReader.open(at: path, configuration: configuration).check(quick: quick)
    }
}

extension FileLock {
    /// Removes the file and gives the lock back, in this order.
    consuming func remove() {
        unlink(path)
    }
}

/// Takes a lock that nobody holds.
func hold(_ path: String) throws -> FileLock {
    struct Taken: Error {}
    guard let lock = try FileLock.tryAcquire(path) else { throw Taken() }
    return lock
}

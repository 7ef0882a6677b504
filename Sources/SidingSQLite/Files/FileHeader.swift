// SPDX-License-Identifier: Apache-2.0
import CSQLite

/// The first bytes of a database file, its header and that of its first page, read without a lock, a journal or shared memory, so that nothing is changed.
///
/// It is read through SQLite's own file layer: opening and closing the file in any other way would drop the locks of other
/// connections of this process.
/// Source: sqlite.org/fileformat2.html, section 1.3.
struct FileHeader {
    private let bytes: [UInt8]

    /// Reads the header; a shorter file is padded with zeros.
    init(ofFileAt path: String) throws(SQLiteError) {
        let operation = "read the header"
        guard let system = sqlite3_vfs_find(nil), let name = sqlite3_create_filename(path, "", "", 0, nil) else {
            throw SQLiteError(.other, "SQLite has no file layer", operation: operation, path: path)
        }
        defer { sqlite3_free_filename(name) }
        let size = Int(system.pointee.szOsFile)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        let file = memory.assumingMemoryBound(to: sqlite3_file.self)

        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_NOFOLLOW
        let opened = system.pointee.xOpen(system, name, file, flags, nil)
        defer { _ = file.pointee.pMethods?.pointee.xClose(file) }
        guard opened == SQLITE_OK else {
            let systemCode = system.pointee.xGetLastError?(system, 0, nil) ?? 0
            throw SQLiteError(
                code: opened, message: String(cString: sqlite3_errstr(opened)), operation: operation, path: path,
                systemCode: systemCode)
        }
        var bytes = [UInt8](repeating: 0, count: 108)
        let read = file.pointee.pMethods?.pointee.xRead(file, &bytes, Int32(bytes.count), 0) ?? SQLITE_IOERR
        // SQLITE_IOERR_SHORT_READ fills the rest with zeros, which no valid header has.
        guard read == SQLITE_OK || read == SQLITE_IOERR | (2 << 8) else {
            throw SQLiteError(
                code: read, message: String(cString: sqlite3_errstr(read)), operation: operation, path: path)
        }
        self.bytes = bytes
    }

    var isSQLite: Bool { bytes.starts(with: "SQLite format 3\0".utf8) }

    var applicationID: Int32 { Int32(bitPattern: number(at: 68)) }

    /// Whether builds before the first release may have left the file: they died, or another process looked, between the steps
    /// by which a new database is made. It has one page of our size, with incremental vacuum, and nothing else: no id, no
    /// write-ahead log, no version, no schema.
    var isHalfMade: Bool {
        isSQLite && bytes[16..<20].elementsEqual([0x20, 0, 1, 1]) && number(at: 28) == 1 && number(at: 52) > 0
            && number(at: 60) == 0 && number(at: 64) > 0 && applicationID == 0
            && bytes[103..<105].allSatisfy { $0 == 0 }
    }

    private func number(at offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// - Throws: ``SQLiteError`` of kind `notADatabase` or `foreignFile`.
    func check(applicationID expected: Int32, path: String) throws(SQLiteError) {
        let operation = "open the database"
        guard isSQLite else {
            throw SQLiteError(.notADatabase, "the file is not a SQLite database", operation: operation, path: path)
        }
        guard applicationID == expected else {
            throw SQLiteError(foreignFile: applicationID, path: path)
        }
    }
}

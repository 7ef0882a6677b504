// SPDX-License-Identifier: Apache-2.0
/// What a name stands for that a statement uses and the database does not have.
public enum UnknownName: Sendable, Hashable {
    case table, column
}

extension SQLiteError {
    /// What the unknown name stands for, where the statement failed because of one; else nil.
    ///
    /// It is read from the message, because SQLite has no code for it: every fault in the text of a statement is SQLITE_ERROR
    /// (sqlite.org/rescode.html#error).
    public var unknownName: UnknownName? {
        if message.hasPrefix("no such table") { return .table }
        return message.hasPrefix("no such column") ? .column : nil
    }
}

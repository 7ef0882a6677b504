// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

extension PostgreSQLSession {
    /// Sends chunks to `COPY … FROM STDIN`, each when the socket has taken the one before.
    ///
    /// - Parameter next: the next chunk; nil ends the copying. Chunks may end within a row.
    /// - Returns: the number of copied rows.
    /// - Throws: the error of `next`, ``PostgreSQLError``; no row is copied then.
    func copyIn(_ sql: String, _ next: () throws -> [UInt8]?) throws -> Int {
        try send(sql)
        try beginCopying()
        while true {
            let chunk: [UInt8]?
            do { chunk = try next() } catch {
                // The server refuses the rows then; its error says nothing new.
                _ = try? endCopying("the rows could not be read")
                throw error
            }
            guard let chunk else { break }
            try put(chunk)
        }
        return try endCopying(nil).affectedRows
    }

    /// Waits until the server is ready for rows.
    private func beginCopying() throws(PostgreSQLError) {
        let patience = answerPatience
        try flush(patience)
        guard let result = try nextResult(patience) else { throw callFailure() }
        defer { library.PQclear(result) }
        let status = library.PQresultStatus(result)
        guard status != PostgreSQLCode.copyIn else { return }
        let failure =
            [PostgreSQLCode.emptyQuery, PostgreSQLCode.commandIsDone, PostgreSQLCode.rows, PostgreSQLCode.copyOut]
                .contains(status)
            ? PostgreSQLError(.refused, "the statement takes no rows: use COPY … FROM STDIN", sqlState: nil)
            : self.failure(of: result)
        _ = try answer(patience)
        throw isOpen ? failure : failure.withLostConnection()
    }

    private func put(_ chunk: [UInt8]) throws(PostgreSQLError) {
        let connection = try openConnection()
        // The length is an Int32 for libpq.
        var rest = chunk[...]
        while !rest.isEmpty {
            let part = rest.prefix(1 << 20)
            let sent = part.withUnsafeBytes { library.PQputCopyData(connection, $0.baseAddress, Int32($0.count)) }
            guard sent >= 0 else { throw callFailure() }
            // 0: no room in the buffer, which flush makes.
            if sent == 1 { rest = rest.dropFirst(part.count) }
            // libpq would buffer all chunks. Each has its own deadline: the server limits the whole.
            try flush(answerPatience)
            guard !isBroken else { throw callFailure() }
        }
    }

    /// - Parameter failure: makes the server refuse all rows.
    @discardableResult private func endCopying(_ failure: String?) throws(PostgreSQLError) -> PostgreSQLResult {
        let connection = try openConnection()
        let patience = answerPatience
        while true {
            switch library.PQputCopyEnd(connection, failure) {
            case 1: return try finish(patience)
            case 0: try flush(patience)
            default: throw callFailure()
            }
        }
    }
}

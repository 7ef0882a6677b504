// SPDX-License-Identifier: Apache-2.0
extension PostgreSQLSession {
    /// Runs one statement with parameters, unnamed, so that a pooler may give each transaction another server.
    func query(
        _ sql: String, _ parameters: [PostgreSQLValue]
    ) throws(PostgreSQLError) -> PostgreSQLResult {
        let connection = try openConnection()
        let sent = try PostgreSQLParameters(parameters).withPointers { count, values in
            library.PQsendQueryParams(connection, sql, count, nil, values, nil, nil, 0)
        }
        guard sent == 1 else { throw callFailure() }
        return try finish(answerPatience)
    }

    /// Runs statements without parameters, separated by semicolons, in one round trip.
    @discardableResult func run(_ sql: String) throws(PostgreSQLError) -> PostgreSQLResult {
        try send(sql)
        return try finish(answerPatience)
    }

    func send(_ sql: String) throws(PostgreSQLError) {
        guard library.PQsendQuery(try openConnection(), sql) == 1 else { throw callFailure() }
    }

    /// The answer to statements that were sent: the result of the last one.
    func finish(_ patience: Patience) throws(PostgreSQLError) -> PostgreSQLResult {
        let (result, failure) = try answer(patience)
        if let failure { throw failure }
        guard let result else { throw callFailure() }
        return result
    }

    /// Reads all results, so that the next statement can be sent: the last one, and the first error. There may be both, if the
    /// connection broke after a result.
    ///
    /// - Throws: ``PostgreSQLError`` of kind `timedOut` or `cancelled`.
    func answer(
        _ patience: Patience
    ) throws(PostgreSQLError) -> (result: PostgreSQLResult?, failure: PostgreSQLError?) {
        try flush(patience)
        var last: PostgreSQLResult?
        var failure: PostgreSQLError?
        while let result = try nextResult(patience) {
            defer { library.PQclear(result) }
            switch library.PQresultStatus(result) {
            case PostgreSQLCode.emptyQuery, PostgreSQLCode.commandIsDone, PostgreSQLCode.rows:
                last = PostgreSQLResult(result, library)
            case PostgreSQLCode.copyIn, PostgreSQLCode.copyOut, PostgreSQLCode.copyBoth:
                // libpq returns this result until the copying ends, which it cannot here.
                close()
                throw PostgreSQLError(.refused, "a query cannot copy: use copyIn", sqlState: nil)
            default:
                failure = failure ?? self.failure(of: result)
            }
        }
        if isBroken {
            close()
            failure = failure?.withLostConnection()
        }
        return (last, failure)
    }
}

// MARK: - Transactions

extension PostgreSQLSession {
    /// Runs `body` between BEGIN and COMMIT, or ROLLBACK if it throws.
    ///
    /// - Parameter bytes: about how many one statement sends.
    func transaction<Value>(
        sending bytes: Int, _ body: (borrowing PostgreSQLTransaction) throws -> Value
    ) throws -> Value {
        statementLimit = settings.limit(sending: bytes)
        defer { statementLimit = settings.statementTimeout }
        let value: Value
        do {
            // SET LOCAL ends with the transaction, so that a pooler can give the server to somebody else.
            try run(
                """
                BEGIN; \
                SET LOCAL statement_timeout = \(statementLimit.positiveMilliseconds); \
                SET LOCAL lock_timeout = \(settings.lockTimeout.positiveMilliseconds); \
                SET LOCAL idle_in_transaction_session_timeout = \(settings.idleTimeout.positiveMilliseconds)
                """)
            value = try body(PostgreSQLTransaction(on: self))
        } catch {
            rollBack()
            throw error
        }
        try commit()
        return value
    }

    /// Rolls back, by closing the connection if the server does not.
    private func rollBack() {
        guard isOpen else { return }
        do throws(PostgreSQLError) { try run("ROLLBACK") } catch { close() }
    }

    /// - Throws: ``PostgreSQLError``; unless `isCommitInDoubt`, nothing was committed.
    private func commit() throws(PostgreSQLError) {
        let connection = try openConnection()
        guard !Task.isCancelled else {
            rollBack()
            throw PostgreSQLError(.cancelled, "the task was cancelled")
        }
        // Before COMMIT is sent, so that there is no doubt.
        guard try !noticesClosing() else { throw callFailure() }
        let state = library.PQtransactionStatus(connection)
        guard state == PostgreSQLCode.inTransaction || state == PostgreSQLCode.inFailedTransaction else {
            throw PostgreSQLError(.refused, "the transaction was ended by a statement in it", sqlState: "25P01")
        }
        try send("COMMIT")
        var patience = answerPatience
        patience.grace = settings.commitGrace
        let answer: (result: PostgreSQLResult?, failure: PostgreSQLError?)
        do throws(PostgreSQLError) { answer = try self.answer(patience) } catch { throw error.withCommitInDoubt() }
        // What happens to the connection after this answer is the next call's matter.
        if answer.result?.commandTag == "COMMIT" { return }
        if let failure = answer.failure { throw failure.isDefinite ? failure : failure.withCommitInDoubt() }
        // "COMMIT" of a failed transaction is no error for the server (PostgreSQL's documentation, "COMMIT").
        throw PostgreSQLError(
            .refused, "the transaction was rolled back, because a statement in it had failed", sqlState: "25P02")
    }
}

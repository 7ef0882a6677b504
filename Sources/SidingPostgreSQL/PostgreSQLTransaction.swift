// SPDX-License-Identifier: Apache-2.0
/// A transaction of ``PostgreSQLConnection/transaction(_:)``, valid in the closure that receives it.
///
/// After an error of the server, its other statements fail too (SQLSTATE 25P02), and it cannot be committed.
package struct PostgreSQLTransaction: ~Copyable {
    private let session: PostgreSQLSession

    init(on session: PostgreSQLSession) {
        self.session = session
    }

    /// Runs one statement; see ``PostgreSQLConnection/query(_:_:)``.
    @discardableResult package func query(
        _ sql: String, _ parameters: [PostgreSQLValue] = []
    ) throws(PostgreSQLError) -> PostgreSQLResult {
        try session.query(sql, parameters)
    }

    /// Sends rows to a `COPY … FROM STDIN`; see ``PostgreSQLConnection/copyIn(_:_:)``.
    @discardableResult package func copyIn(_ sql: String, _ next: () throws -> [UInt8]?) throws -> Int {
        try session.copyIn(sql, next)
    }
}

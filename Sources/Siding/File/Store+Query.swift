// SPDX-License-Identifier: Apache-2.0
package import SidingChain
internal import SidingJSON
package import SidingSQLite

extension Store {
    /// Runs one read-only statement of the user, and streams its result.
    ///
    /// A column of the result that is a column of a view, through subqueries too, has the JSON type that exports give it; what SQL
    /// computes is as SQL has it.
    /// - Parameters:
    ///   - sql: exactly one statement that reads.
    ///   - parameters: the values of its parameters, by name.
    ///   - timeLimit: the maximum time in SQLite.
    ///   - moment: a time in the past: shows the views of resources with a history as of then, and refuses all others. Nil for
    ///     now.
    ///   - columns: called once with the column names.
    ///   - row: called with each row.
    /// - Throws: ``StoreError/Kind/invalidQuery``, ``StoreError/Kind/timeLimit``, or what the closures throw.
    package func query(
        _ sql: String, parameters: [String: SQLiteValue] = [:], timeLimit: Duration = .seconds(60),
        asOf moment: Timestamp? = nil, columns: @escaping @Sendable ([String]) throws -> Void,
        row: @escaping @Sendable ([ColumnValue]) throws -> Void
    ) async throws {
        let now = clock.now
        var past: PastViews?
        if let moment { past = try await read { try PastViews(at: moment, now: now, $0) } }
        let then = past
        let views = try await read { try QueriedViews(in: sql, past: then, $0) }
        let inspection = Inspection(
            of: path, timeLimit: timeLimit, replacement: past?.replacement ?? views.replacement, parameters: parameters)
        let origins = await views.origins(of: sql, by: inspection)
        let forms = try await read { try views.forms(of: origins, $0) }
        try await run(sql, inspection, past, columns: columns) { values in
            try row(values.enumerated().map { ColumnValue($1, as: forms.indices.contains($0) ? forms[$0] : []) })
        }
    }

    /// Streams the rows of a statement of the config, with the values as SQL has them.
    func query(_ sql: String, values: @escaping @Sendable ([SQLiteValue]) throws -> Void) async throws {
        let views = try await read { try QueriedViews(in: sql, $0) }
        let inspection = Inspection(of: path, replacement: views.replacement)
        try await run(sql, inspection, nil, columns: { _ in }, row: values)
    }

    private func run(
        _ sql: String, _ inspection: Inspection, _ past: PastViews?,
        columns: @escaping @Sendable ([String]) throws -> Void,
        row: @escaping @Sendable ([SQLiteValue]) throws -> Void
    ) async throws {
        do {
            try await inspection.run(SQL(verbatim: sql), columns: columns, row: row)
        } catch let mismatch as Inspection.ParameterMismatch {
            throw StoreError(mismatch)
        } catch let hidden as Inspection.HiddenTable {
            throw past?.error(on: hidden.name) ?? StoreError(.invalidQuery, "\(hidden.name) cannot be read")
        } catch let error as SQLiteError {
            switch error.kind {
            case .timeLimit:
                var limit = StoreError(mapping: error)
                limit.hint = try? await read { try SlowQuery(sql).hint($0) }
                throw limit
            case .cancelled, .corrupt: throw StoreError(mapping: error)
            case .readOnly:
                throw StoreError(.invalidQuery, error.message, hint: "only statements that read are allowed")
            default: throw StoreError(.invalidQuery, error.message, hint: Self.hint(error.unknownName))
            }
        }
    }

    /// Advice for an unknown name in a statement.
    private static func hint(_ name: UnknownName?) -> String? {
        switch name {
        case .table: "'siding status' lists the resources; each is a view under its name"
        case .column: "a view shows the members seen so far, at most 200; 'SELECT * FROM name LIMIT 1' shows which"
        case nil: nil
        }
    }
}

extension StoreError {
    fileprivate init(_ mismatch: Inspection.ParameterMismatch) {
        let name = mismatch.name.map { PlainText.oneLine($0, limit: 80) }
        let message =
            switch (name, mismatch.isInStatement) {
            case (nil, _): "a parameter of the statement has no name"
            case (let name?, true): "the parameter '\(name)' of the statement has no value"
            case (let name?, false): "the statement has no parameter '\(name)'"
            }
        let hint =
            mismatch.isInStatement
            ? "write it as :\(name ?? "name") and give it a value: --param \(name ?? "name")=VALUE"
            : "write it as :\(name ?? "name") in the statement, outside of quotes"
        self.init(.invalidQuery, message, hint: hint)
    }
}

/// A query that ran out of time: what makes it faster.
struct SlowQuery {
    private let words: Set<Substring>

    init(_ sql: String) {
        words = Set(sql.lowercased()[...].split { !($0.isLetter || $0.isNumber || $0 == "_") })
    }

    /// Names the columns that the statement computes from the bodies of records, row by row; nil where there are none.
    func hint(_ database: borrowing some Queryable & ~Copyable) throws -> String? {
        var hints: [String] = []
        for view in try ResourceView.all(database).sorted(by: { $0.name < $1.name }) where names(view.name) {
            let slow = view.computedColumns.filter(names).prefix(5).map { "'\(PlainText.oneLine($0, limit: 60))'" }
            guard !slow.isEmpty else { continue }
            let name = PlainText.oneLine(view.name, limit: 60)
            hints.append("declare \(slow.joined(separator: ", ")) under 'columns' of '\(name)'")
        }
        guard !hints.isEmpty else { return nil }
        return
            "each record is parsed for columns that are not declared: \(hints.joined(separator: "; ")), with 'index: true' for "
            + "those that are joined or searched by ('siding schema NAME --suggest' writes them)"
    }

    private func names(_ name: String) -> Bool { words.contains(name.lowercased()[...]) }
}

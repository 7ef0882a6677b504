// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingSQLite

/// The SQL of a column: what SQLite makes of a value in a body, and how it is shown as the declared type.
///
/// The same text makes the view's column and the value that is stored with the row. It must be deterministic, and never fail on
/// a body that is JSON.
struct ColumnExpression {
    /// The SQL value. SQLite 3.40 makes a REAL of integers outside 64 bits.
    let value: SQL
    /// The JSON text, with a number's original digits.
    let text: SQL
    /// The JSON type's name.
    let kind: SQL

    /// The value at `path` of the stored record, whose JSON is `body`: the column of that name, or a parameter.
    static func member(_ path: JSONPath, of body: SQL = "body") -> ColumnExpression {
        let place = SQL("\(literal: path.description)")
        return ColumnExpression(
            value: "\(body) ->> \(place)", text: "\(body) -> \(place)", kind: "json_type(\(body), \(place))")
    }

    /// The value at `path` of an element, named `e` by json_each(), of the record `r`.
    static func element(_ path: JSONPath) -> ColumnExpression {
        guard !path.components.isEmpty else {
            return ColumnExpression(value: "e.value", text: "r.body -> e.fullkey", kind: "e.type")
        }
        let place = SQL("\(literal: path.description)")
        // A scalar's text is not JSON, and extracting members from it would fail.
        let element: SQL = "CASE WHEN e.type IN ('object', 'array') THEN e.value END"
        return ColumnExpression(
            value: "(\(element)) ->> \(place)", text: "(\(element)) -> \(place)",
            kind: "json_type(\(element), \(place))")
    }

    /// The value as `type`; values of other types are shown unchanged.
    func sql(_ type: ColumnType) -> SQL {
        switch type {
        case .any: value
        case .integer: integer
        // Comparing with a CAST gives a numeric text the affinity of the CAST (sqlite.org/datatype3.html, section 4.2) and compares
        // exactly: it is true only if nothing is lost.
        case .real, .decimal:
            """
            CASE WHEN \(kind) = 'real' THEN \(value) WHEN \(isTruth) THEN \(text) \
            WHEN \(value) = CAST(\(value) AS REAL) THEN CAST(\(value) AS REAL) ELSE \(value) END
            """
        case .text:
            "CASE \(kind) WHEN 'text' THEN \(value) WHEN 'null' THEN NULL ELSE \(text) END"
        case .boolean:
            "CASE \(value) WHEN 'true' THEN 1 WHEN 'false' THEN 0 ELSE \(value) END"
        case .datetime(let format): datetime(format)
        case .date: date
        case .json: "nullif(\(text), 'null')"
        }
    }

    /// Whether the JSON value is true or false, which SQL shows as numbers.
    private var isTruth: SQL { "\(kind) IN ('true', 'false')" }

    /// What is usual comes first: each part is a look into the JSON.
    private var integer: SQL {
        """
        CASE \(kind) WHEN 'integer' THEN CASE typeof(\(value)) WHEN 'integer' THEN \(value) ELSE \(text) END \
        WHEN 'true' THEN \(text) WHEN 'false' THEN \(text) \
        ELSE CASE WHEN \(value) = CAST(\(value) AS INTEGER) THEN CAST(\(value) AS INTEGER) ELSE \(value) END END
        """
    }

    private func datetime(_ format: ColumnType.TimeFormat) -> SQL {
        switch format {
        case .rfc3339: calendar
        case .epoch: epoch("1")
        case .epochMilliseconds: epoch("1000.0")
        case .epochMicroseconds: epoch("1000000.0")
        }
    }

    /// Checks the date before strftime(), which would read a bare number as a Julian day and `now` as the present time.
    private var calendar: SQL {
        let moment: SQL = "upper(\(value))"
        // SQLite requires the colon in an offset (sqlite.org/lang_datefunc.html).
        let spelt: SQL = """
            CASE WHEN \(moment) GLOB '*[0-9][+-][0-9][0-9][0-9][0-9]' AND \(moment) GLOB '*:*' \
            THEN substr(\(moment), 1, length(\(moment)) - 2) || ':' || substr(\(moment), -2) ELSE \(moment) END
            """
        // SQLite normalizes 30 February and 24:00 to the next day or month once it calculates with them.
        let isInCalendar: SQL = "\(hasDay) AND substr(\(value), 12, 2) <> '24'"
        // A moment in UTC to the second, as most are written, is right if it is what SQLite writes for it.
        return """
            CASE WHEN \(value) GLOB '[0-9]*' \
            AND strftime('%Y-%m-%dT%H:%M:%SZ', \(value), '+0 days') IS \(value) \
            THEN substr(\(value), 1, 19) || '.000Z' WHEN \(beginsAsDay) \
            THEN CASE WHEN \(isInCalendar) \
            THEN coalesce(strftime('%Y-%m-%dT%H:%M:%fZ', \(spelt)), \(value)) ELSE \(value) END ELSE \(value) END
            """
    }

    private var date: SQL {
        """
        CASE WHEN \(beginsAsDay) AND \(hasDay) \
        AND (length(\(value)) = 10 OR \(value) GLOB '??????????[Tt ][0-9][0-9]*') THEN substr(\(value), 1, 10) ELSE \(value) END
        """
    }

    private var beginsAsDay: SQL { "\(value) GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'" }

    /// Whether the calendar has the day with which the value begins.
    private var hasDay: SQL { "date(substr(\(value), 1, 10), '+0 days') IS substr(\(value), 1, 10)" }

    private func epoch(_ unit: SQL) -> SQL {
        """
        CASE WHEN \(isTruth) THEN \(text) WHEN \(value) = CAST(\(value) AS NUMERIC) \
        THEN coalesce(strftime('%Y-%m-%dT%H:%M:%fZ', CAST(\(value) AS NUMERIC) / \(unit), 'unixepoch'), \(value)) \
        ELSE \(value) END
        """
    }
}

extension RecordExpression {
    /// The expression where `body` is the record, as in a row of a ``RecordsTable``.
    ///
    /// - Parameter columns: the declared columns.
    func sql(beside columns: [RecordColumn]) -> SQL {
        let values = expression.names.map { name -> SQL in
            let value =
                column(name, among: columns).map { ColumnExpression.member($0.path).sql($0.type) }
                ?? "body ->> \(literal: JSONPath(member: name).description)"
            return "\(value) AS \(identifier: name)"
        }
        let row = (["body AS \(identifier: Self.record)"] + values).joined
        return "(SELECT \(expression: expression) FROM (SELECT \(row)))"
    }
}

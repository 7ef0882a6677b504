// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// The views of all resources as of one time, over the present rows and the history.
///
/// They are TEMP views with the names of the present ones and the SELECT that queries have of those, so that columns, types and
/// JSON functions are the same.
struct PastViews {
    let moment: Timestamp
    /// The SELECT of each view, by its name.
    private var views: [String: SQL] = [:]
    /// The internal views with each resource's rows as of that time.
    private var readers: Set<String> = []
    /// Why a view cannot be read, by name in lower case, as SQLite compares names.
    private var refusals: [String: StoreError] = [:]
    /// The names of all tables and views in the file.
    private var names: Set<String> = []

    init(
        at moment: Timestamp, now: Timestamp, _ database: borrowing some Queryable & ~Copyable
    ) throws {
        self.moment = moment
        guard moment <= now else {
            throw StoreError(
                .invalidQuery, "\(moment.rfc3339) lies in the future", hint: "give a moment that has passed")
        }
        try database.forEach("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')") { row in
            names.insert(row.text(0).lowercased())
        }
        for view in try ResourceView.all(database) { add(view) }
    }

    private mutating func add(_ view: ResourceView) {
        if let reason = refusal(of: view.name, since: view.table.row.historySince) {
            for name in view.viewNames { refusals[name.lowercased()] = reason }
            return
        }
        // No resource can have this name.
        let reader = "siding_past_\(view.resource)"
        readers.insert(reader)
        views[reader] = records(of: view.table)
        views[view.name] = view.querySelection(ofPast: "\(identifier: reader)")
        for child in view.children { views[child.name] = child.querySelection(from: "\(identifier: reader)") }
    }

    private func refusal(of name: String, since: Timestamp?) -> StoreError? {
        guard let since else {
            return StoreError(
                .invalidQuery, "'\(name)' keeps no history, so its past records are unknown",
                hint: "set 'history: true' in its config: the history begins with the next sync")
        }
        guard moment < since else { return nil }
        return StoreError(
            .invalidQuery,
            "the history of '\(name)' reaches back to \(since.rfc3339(fractionDigits: 6)) only; "
                + "\(moment.rfc3339(fractionDigits: 6)) is earlier",
            hint: "choose a later time; for a longer history, raise 'history' in the config")
    }

    /// The rows as of that time: present rows that had begun by then, and earlier versions valid then.
    ///
    /// Versions do not record the parent of their listing, so the present one is shown.
    func records(of table: RecordsTable) -> SQL {
        let (resource, moment) = (SQL("\(integer: table.resource)"), SQL("\(integer: moment.microseconds)"))
        return """
            SELECT key, body, deleted_at, pending, scope FROM \(table.rowsOfPast) \
            WHERE deleted_at IS NULL AND changed_at <= \(moment) \
            UNION ALL SELECT key, body, deleted_at, pending, \
            (SELECT p.scope FROM \(table.rowsOfPast) AS p WHERE p.key = h.key) \
            FROM siding_history AS h \
            WHERE resource = \(resource) AND deleted_at IS NULL AND valid_from <= \(moment) AND valid_to > \(moment)
            """
    }

    /// The views that an inspection uses instead of the present ones.
    var replacement: Inspection.ViewReplacement {
        Inspection.ViewReplacement(views: views, readers: readers, hidden: names)
    }

    /// Why `name`, which the statement tried to read, cannot be read.
    func error(on name: String) -> StoreError {
        refusals[name.lowercased()]
            ?? StoreError(
                .invalidQuery, "'\(name)' has only its present content, not that of \(moment.rfc3339)",
                hint: "with --as-of a query can read only the views of resources, by their names without a schema")
    }
}

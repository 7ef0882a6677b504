// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Siding
internal import SidingChain

/// A resource: one entry of `resources:`.
enum ResourceGrammar {
    private enum Method: String, Sendable, CaseIterable {
        case get = "GET"
        case post = "POST"
    }

    private enum Conditional: String, Sendable, CaseIterable {
        case auto
        case off
    }

    private static let source = Keyword(
        "source", ValueType<String>.text("the name of a source"),
        "A name from sources. It may be left out if there is only one.")
    private static let path = Keyword(
        "path", ValueType<String>.text("a path below the source's base_url such as /posts"), isRequired: true,
        "The path below the source's base_url. It may contain a query, and {names} that for_each binds.")
    private static let forEach = Keyword(
        "for_each", ForEachGrammar.shape.type,
        "One listing per record of another resource.")
    private static let method = Keyword(
        "method", ValueType<Method>.choice, default: "GET", "The method of the request.")
    private static let query = Keyword("query", .parameters, "Query parameters: scalars, lists and maps.")
    private static let encoding = Keyword(
        "query_encoding", QueryEncodingGrammar.type, default: "brackets",
        "The encoding of lists and Booleans in the query. brackets: a[]=1&a[]=2, and 1 and 0; plain: a=1&a=2, and true and "
            + "false.")
    private static let body = Keyword(
        "body", .searchBody,
        "The body of a POST: text, numbers, true, false, null, lists and maps; {cursor} as in the query.")
    private static let bodyEncoding = Keyword(
        "body_encoding", ValueType<SearchBody.Encoding>.choice, default: "json",
        "The encoding of the body: json, or form as in HTML forms, with maps as user[name].")
    private static let records = Keyword(
        "records", .records,
        "The path of the records, or lines. Without it: the root array or the only array of the root object.")
    private static let key = Keyword(
        "key", .recordKey, isRequired: true,
        "What identifies a record: a member, a list of members, a JSON path, or $key.")
    private static let paginate = Keyword(
        "paginate", PagingGrammar.type, default: "auto", "The rule for the next page.")
    private static let stop = Keyword("stop", StopGrammar.shape.type, "When a listing ends before its last page.")
    private static let cursor = Keyword(
        "cursor", CursorGrammar.shape.type, "Fetches only changes: {cursor} in the query or the body.")
    private static let conditional = Keyword(
        "conditional", ValueType<Conditional>.choice, default: "auto",
        "auto: stored validators are sent, so that unchanged pages answer 304; off: they are not.")
    private static let maxAge = Keyword(
        "max_age", .duration, "The maximum age of the last complete listing before the resource is stale.")

    private static let schedule = Keyword(
        "schedule", ScheduleGrammar.type,
        "When siding serve syncs it. Without it: when it is older than max_age, or than 15 minutes.")

    private static let columns = Keyword(
        "columns", ColumnGrammar.all, "The columns of the view. Without it: the members of the records.")

    private static let children = Keyword(
        "children", ChildrenGrammar.all, "Arrays inside the records that become views.")
    private static let contract = Keyword(
        "contract", ContractGrammar.shape.type, "How records with changed types or members are handled.")

    private static let history = Keyword(
        "history", HistoryGrammar.type, default: false,
        "Whether earlier versions of records are kept: true, or for how long or how many.")
    private static let keep = Keyword(
        "keep", KeepGrammar.ofResource.type,
        "How old or how many records are kept, of a resource with a cursor and without deletes.")
    private static let condition = Keyword(
        "where", TransformGrammar.condition,
        "The condition for keeping a record. A stored record that no longer meets it becomes a tombstone.")
    private static let dropped = Keyword("drop", TransformGrammar.dropped, "Members that are not stored.")
    private static let computed = Keyword(
        "set", TransformGrammar.computed, "Columns of the view that are computed from the record, by SQL expressions.")
    private static let renamed = Keyword(
        "rename", TransformGrammar.renamed, "Other names for columns that are not declared, by member."
    )

    private static let stable = Keyword(
        "stable", .truth, default: false,
        "Whether records never move between pages while a listing is read. Often true with cursors and next URLs.")
    private static let deletes = Keyword(
        "deletes", DeletionGrammar.type, "How deletions at the origin are found. Without it: they are not.")

    private static let errors = Keyword(
        "errors", FailureRuleGrammar.fetches,
        "Error rules for this resource's fetches. They come before those of its source.")

    static let shape = Shape<ResourceDeclaration>(
        [
            source.entry, path.entry, method.entry, query.entry, encoding.entry, body.entry, bodyEncoding.entry,
            records.entry, key.entry,
            paginate.entry, stop.entry, cursor.entry, conditional.entry, maxAge.entry, schedule.entry,
            columns.entry, children.entry,
            contract.entry, history.entry, keep.entry, stable.entry, deletes.entry, forEach.entry, condition.entry,
            dropped.entry,
            computed.entry, renamed.entry, errors.entry,
        ]
    ) { object, reading in
        var declaration = ResourceDeclaration(subject: reading.subject)
        declaration.source = object.located(source, &reading)
        declaration.forEach = object.value(forEach, &reading)
        reading.placeholders = Set((declaration.forEach?.names ?? []).map { "{\($0)}" })
        defer { reading.placeholders = [] }
        declaration.path = object.located(path, &reading)
        declaration.method = object.value(method, &reading) == .post ? .post : .get
        declaration.query = object.value(query, &reading) ?? [:]
        declaration.encoding = object.value(encoding, &reading)?.encoding ?? QueryEncoding()
        declaration.records = object.value(records, &reading)
        declaration.key = object.value(key, &reading) ?? []
        let paginate = object.located(paginate, &reading)
        declaration.body.paging = paginate.map { Located(value: $0.value.paging, place: $0.place, subject: $0.subject) }
        (declaration.paging, declaration.pageSizes) = (paginate?.value.paging ?? .automatic, paginate?.value.sizes)
        declaration.body.members = object.located(body, &reading)
        declaration.body.encoding = object.located(bodyEncoding, &reading)
        declaration.stop = object.value(stop, &reading) ?? StopRules()
        declaration.cursor = object.located(cursor, &reading)
        declaration.queryPlace = object.entry(query.name)?.value.place ?? object.place
        declaration.isConditional = object.value(conditional, &reading) != .off
        declaration.maxAge = object.value(maxAge, &reading)
        declaration.schedule = object.value(schedule, &reading)
        declaration.schema.columns = object.value(columns, &reading) ?? []
        declaration.schema.children = object.value(children, &reading) ?? []
        declaration.schema.history = object.value(history, &reading) ?? nil
        declaration.kept = object.located(keep, &reading)
        declaration.schema.contract = object.value(contract, &reading) ?? RecordContract()
        declaration.isStable = object.value(stable, &reading) ?? false
        declaration.deletions = object.value(deletes, &reading)
        declaration.schema.transforms = RecordTransforms(
            condition: object.value(condition, &reading), dropped: object.value(dropped, &reading) ?? [],
            computed: object.value(computed, &reading) ?? [], renamed: object.value(renamed, &reading) ?? [:])
        declaration.failureRules = object.value(errors, &reading) ?? []
        declaration.checkShape(at: object.place, &reading)
        return declaration
    }
}

/// When a listing ends early: `stop:`.
enum StopGrammar {
    private static let maxPages = Keyword(
        "max_pages", .integer(1...1_000_000_000),
        "The maximum number of pages. A listing that reaches it is incomplete.")
    private static let hasMore = Keyword("has_more", .path, "A member of the envelope that is false on the last page.")

    private static let isLast = Keyword("is_last", .path, "A member of the envelope that is true on the last page.")

    private static let emptyPage = Keyword(
        "empty_page", .truth, default: false,
        "Whether a page without records is the last one, even if it has a next page.")
    private static let trustEnd = Keyword(
        "trust_end", .truth, default: false,
        "Whether a page without a next page is the last one, even if the origin reports more records or pages, and so is a page shorter than its size."
    )

    static let shape = Shape<StopRules>([
        maxPages.entry, hasMore.entry, isLast.entry, emptyPage.entry, trustEnd.entry,
    ]) { object, reading in
        var rules = StopRules(
            maxPages: object.value(maxPages, &reading), hasMore: object.value(hasMore, &reading),
            isLast: object.value(isLast, &reading))
        rules.endsOnEmptyPage = object.value(emptyPage, &reading) ?? false
        rules.trustsEnd = object.value(trustEnd, &reading) ?? false
        return rules
    }
}

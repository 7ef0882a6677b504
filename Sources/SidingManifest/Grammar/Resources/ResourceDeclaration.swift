// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import HTTPTypes
internal import Siding
internal import SidingChain
internal import SidingPaging

/// A resource before it is bound to its source.
struct ResourceDeclaration: Sendable {
    let subject: Subject
    var source: Located<String>?
    var path: Located<String>?
    var method = HTTPRequest.Method.get
    var query: [String: QueryValue] = [:]
    var encoding = QueryEncoding()
    var body = BodyDeclaration()
    var records: JSONPath?
    var key: [JSONPath] = []
    var paging = Paging.automatic
    var pageSizes: PageSizes?
    var stop = StopRules()
    var cursor: Located<IncrementalCursor>?
    var queryPlace: Place
    var isConditional = true
    var maxAge: Duration?
    var schedule: ScheduleGrammar.Declaration?
    var schema = RecordSchema()
    var kept: Located<RecordRetention?>?
    var isStable = false
    var deletions: DeletionGrammar.Declaration?
    var forEach: ForEachDeclaration?
    var failureRules: [FailureRule] = []

    init(subject: Subject) {
        self.subject = subject
        queryPlace = subject.place
    }

    /// The resource bound to its source; nil after a fault was noted, here or in the source.
    ///
    /// - Parameter names: all names in `sources:`, including those of faulty sources.
    func resource(named name: String, sources: [String: Source], names: [String], _ reading: inout Reading)
        -> AnyResource?
    {
        let sourceName = SourceReference(subject: subject, name: source).resolved(among: names, &reading)
        reading.placeholders = Set((forEach?.names ?? []).map { "{\($0)}" })
        if let path { checkPath(path, &reading) }
        if let path = deletions?.recordPath { checkRecordPath(path, &reading) }
        reading.placeholders = []
        forEach?.checkUse(inPath: path?.value, query: query, body: body, &reading)
        checkPlaceholders(&reading)
        body.check(method, &reading)
        guard let path, let source = sourceName.flatMap({ sources[$0] }), checkURL(path, source, &reading),
            deletions?.recordPath.map({ checkURL($0, source, &reading) }) ?? true
        else { return nil }
        var resource = AnyResource(
            name, from: source.putting(first: failureRules), at: path.value, key: key, paging: paging)
        (resource.method, resource.body, resource.pageSizes) = (method, body.body, pageSizes)
        (resource.query, resource.queryEncoding, resource.records) = (query, encoding, records)
        (resource.stop, resource.cursor, resource.forEach) = (stop, cursor?.value, forEach?.forEach)
        (resource.isConditional, resource.maxAge, resource.schema) = (isConditional, maxAge, schema)
        (resource.isStable, resource.deletions) = (isStable, deletions?.deletions ?? Deletions())
        resource.schedule = schedule?.schedule(of: name, on: reading.environment.machine)
        resource.keptRecords = kept?.value
        return resource
    }

    /// Notes settings that are valid alone but conflict.
    func checkShape(at place: Place, _ reading: inout Reading) {
        do throws(RecordSchemaError) { try schema.check() } catch {
            reading.fault("\(subject): \(error)", at: place)
        }
        if key.contains(.memberName), records?.components.last != .child {
            reading.fault(
                "the key of \(subject) is $key, and its records are not members of an object", at: place,
                expected: "records: $.items.*, with the path of the object")
        }
        let looksAround =
            switch paging {
            case .nextURL, .cursor: true
            default: false
            }
        if records == .lines, looksAround {
            reading.fault(
                "'paginate' of \(subject) looks around the records, and lines have nothing around them",
                at: body.paging?.place ?? place,
                expected: "link_header, header_cursor, next_url with header, page, offset or last_record")
        }
        // Elsewhere each listing shows all records, and would bring back those that are not kept.
        if let kept, cursor == nil || deletions != nil {
            reading.fault(
                "\(kept.subject) is for listings of changes, and those of this resource show every record",
                at: kept.place,
                expected: cursor == nil ? "keep with cursor" : "keep without deletes")
        }
        let dropped = MemberRemoval(schema.transforms.dropped)
        for path in key where dropped.takes(path) {
            reading.fault("\(subject) drops its key \(path)", at: place, expected: "a drop that leaves the key")
        }
        // Deletion marks are looked up in records as stored.
        if let mark = deletions?.deletions.mark, dropped.takes(mark.path) {
            reading.fault(
                "\(subject) drops \(mark.path.description), which marks its deleted records", at: place,
                expected: "a drop that leaves 'field' of 'deletes'")
        }
    }

    /// Notes a placeholder without a cursor, and a cursor that no request carries.
    private func checkPlaceholders(_ reading: inout Reading) {
        let (inQuery, inBody) = (queryHolds("{cursor}"), body.holds("{cursor}"))
        let isUsed = inQuery || inBody
        if cursor == nil, isUsed || queryHolds("{until}") || body.holds("{until}") {
            let isQuery = inQuery || !inBody && queryHolds("{until}")
            reading.fault(
                "the \(isQuery ? "query" : "body") of \(subject) has {\(isUsed ? "cursor" : "until")}, and there is no "
                    + "cursor", at: isQuery ? queryPlace : body.members?.place ?? queryPlace,
                expected: "cursor: { path: $.updated_at }")
        }
        if let cursor, !isUsed, cursor.value.order != .descending {
            reading.fault(
                "\(cursor.subject) is used by no request", at: cursor.place,
                expected: "{cursor} in the query, or order: desc")
        }
    }

    private func queryHolds(_ placeholder: String) -> Bool { query.values.contains { $0.holds(placeholder) } }

    private func checkPath(_ path: Located<String>, _ reading: inout Reading) {
        if let name = SecretNames.secretQueryName(inURL: path.value) {
            reading.about(path.subject) { $0.refuseSecretName(name, at: path.place) }
        }
        reading.about(path.subject) { _ = $0.refusePlaceholder(in: path.value, at: path.place) }
        if path.value.contains("#") {
            let message = "\(path.subject) has a fragment, which never travels"
            reading.fault(message, at: path.place, expected: "a path without '#'")
        }
    }

    /// Checks the path of `deletes: { verify: … }`.
    private func checkRecordPath(_ path: Located<String>, _ reading: inout Reading) {
        let name = "{\(Deletions.recordName)}"
        if reading.placeholders.contains(name) {
            reading.fault(
                "\(path.subject) has \(name) for the record's own key, and for_each binds that name", at: path.place,
                expected: "another name in bind")
            return
        }
        reading.placeholders.insert(name)
        defer { reading.placeholders.remove(name) }
        checkPath(path, &reading)
        if !path.value.prefix(while: { $0 != "?" }).contains(name) {
            reading.fault(
                "\(path.subject) does not say of which record", at: path.place, expected: "\(name) in the path")
        } else if key.count > 1 {
            reading.fault("\(path.subject) cannot name a record by a key of \(key.count) parts", at: path.place)
        }
    }

    private func checkURL(_ path: Located<String>, _ source: Source, _ reading: inout Reading) -> Bool {
        let isWhole = path.value.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.-]*:\/\//) != nil
        let named = path.value.replacing("{\(Deletions.recordName)}", with: "1")
        let filled = forEach?.filled(named) ?? named
        if !isWhole, (try? source.baseURL.appending(path: filled)) != nil { return true }
        let message = "\(path.subject) \(isWhole ? "is a whole URL" : "does not make a URL")"
        reading.fault(message, at: path.place, expected: "a path below the source's base_url such as /posts")
        return false
    }
}

// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingOrigin
import Testing

/// A listing that is incomplete, and a config that cannot be safe, with the binary.
@Suite(.serialized)
struct CompletenessTests {
    private func service(_ envelope: String) async throws -> Service {
        let service = try await Service.start()
        service.listen { _, _ in .json(envelope) }
        return service
    }

    @Test func `a listing that stops short exits 3 with the line to add, also without a terminal, and status shows it`()
        async throws
    {
        let service = try await service(#"{"items":[{"id":1},{"id":2}],"total":5,"page":1}"#)
        let sandbox = try Sandbox.with(service, resource: "query: { per_page: 2 }")
        let plan = try await sandbox.siding("plan", "--fetch")
        #expect(plan.status == 3)
        #expect(plan.output.contains("paginate: { type: page, param: page, size_param: per_page, size: 2 }"))
        let sync = try await sandbox.siding("sync")
        #expect(sync.status == 3 && sync.output == "")
        #expect(sync.error.contains("items: incomplete: 2 of 5 records ($.total): Declare"))
        #expect(sync.error.contains("paginate: { type: page, param: page, size_param: per_page, size: 2 }"))
        #expect(sync.error.contains("stop: { trust_end: true }"))
        #expect(try await sandbox.siding("status").output.contains(#/ incomplete\n +2 of 5 records \(\$\.total\)\n/#))
        let status = try await sandbox.siding("status", "--json").object()
        #expect(status["resources"]?.array?.first?["incomplete"] == .string("2 of 5 records ($.total)"))
        #expect(try await sandbox.count() == 2)
        try sandbox.config(service.config(resource: "query: { per_page: 2 }, stop: { trust_end: true }"))
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(!(try await sandbox.siding("status").output.contains("incomplete")))
        await service.origin.stop()
    }

    @Test(arguments: [
        ("", ": Declare"), ("deletes: { detect: complete_listing }", ": nothing was deleted. Declare"),
        (
            "query: { since: '{cursor}' }, cursor: { path: $.id, type: integer, order: asc }",
            ": the cursor stays. Declare"
        ),
        (
            "deletes: { detect: complete_listing }, query: { since: '{cursor}' }, cursor: { path: $.id, type: integer, order: asc }",
            ": nothing was deleted, and the cursor stays. Declare"
        ),
    ])
    func `an incomplete listing reports kept records, and mentions deletions or a cursor only where declared`(
        _ resource: String, _ words: String
    ) async throws {
        let service = try await service(#"{"items":[{"id":1},{"id":2}],"total":5}"#)
        let sandbox = try Sandbox.with(service, resource: resource)
        let sync = try await sandbox.siding("sync")
        #expect(sync.status == 3 && sync.error.contains("2 of 5 records ($.total)" + words), "\(sync.error)")
        await service.origin.stop()
    }

    /// One whose config is checked, not synced: with these members of its resource, and a path where they have none.
    private static func sandbox(_ resource: String) throws -> Sandbox {
        let sandbox = try Sandbox()
        let path = resource.contains("path: '/") ? "" : "path: /items, "
        try sandbox.config(
            """
            version: 1
            sources:
              shop: { base_url: https://shop.example }
            resources:
              items: { \(path)key: id, \(resource) }
            """)
        return sandbox
    }

    @Test(arguments: [
        ("query: { since: '{cursor}' }, cursor: { path: $.at }", "Declare 'order'"),
        ("query: { since: '{cursor}' }, cursor: { path: $.at, order: asc }, paginate: page", "numbered pages"),
        ("query: { sort: updated_at }, deletes: { detect: complete_listing }", "or declare 'verify'"),
        ("path: '/items?order_by=-modified', deletes: { detect: complete_listing }", "or declare 'verify'"),
        ("paginate: page, stable: true, deletes: { detect: complete_listing }", "Leave 'stable' out"),
        ("paginate: page, deletes: { detect: complete_listing }", "Page by link or token"),
        (
            "paginate: { type: offset, limit: 5 }, query: { sort: id }, deletes: { detect: complete_listing }",
            "or declare 'verify'"
        ),
        (
            "query: { sort: '-votes' }, deletes: { detect: complete_listing }",
            "sort=-votes is an order that changes"
        ),
        ("query: { sort: last_activity }, deletes: { detect: complete_listing }", "or declare 'verify'"),
        (
            "query: { '$orderby': 'LastEdited desc' }, deletes: { detect: complete_listing }",
            "$orderby=LastEdited desc"
        ),
        ("query: { sort: new }, deletes: { detect: complete_listing }", "or declare 'verify'"),
        (
            "method: POST, body: { search: { sort: [{ updated_at: desc }] } }, deletes: { detect: complete_listing }",
            "search.sort=updated_at is an order"
        ),
        ("query: { since: '{cursor}' }, cursor: { envelope: $.token }, paginate: page", "numbered pages"),
        (
            "query: { since: '{cursor}' }, cursor: { header: Date }, paginate: { type: offset, limit: 5 }",
            "numbered pages"
        ),
        ("stop: { trust_end: true }, deletes: { detect: complete_listing }", "instead of 'trust_end'"),
        ("stop: { max_pages: 9 }, deletes: { detect: complete_listing }", "Leave 'max_pages' out"),
        (
            "query: { since: '{cursor}' }, cursor: { path: $.at, order: asc, start: '2024-01-01T00:00:00Z' }, "
                + "deletes: { detect: complete_listing }", "'detect: complete_listing' deletes nothing"
        ),
        (
            "query: { since: '{cursor}' }, cursor: { path: $.at, order: asc, type: date, lookback: 30s }",
            "is shorter than the unit of the cursor"
        ),
        (
            "query: { since: '{cursor}' }, cursor: { path: $.at, order: asc, format: date, lookback: 30s }",
            "as 'date' requests"
        ),
        (
            "set: { at: updated }, query: { since: '{cursor}' }, cursor: { path: $.at, order: asc }",
            "'cursor.path' is 'at', which 'set' computes"
        ),
        ("set: { id: name }", "'key' is 'id', which 'set' computes"),
        ("set: { gone: name }, deletes: { field: $.gone }", "'deletes.field' is 'gone'"),
        ("query: { org: { env: ORG } }", "'query.org' is sent as the map { env: ORG }"),
        ("method: POST, body: { org: { env: ORG } }", "'body.org' is sent as the map { env: ORG }"),
    ])
    func `check warns of a config that can miss changes or delete live records, and names the remedy`(
        _ resource: String, _ words: String
    ) async throws {
        let sandbox = try Self.sandbox(resource)
        let check = try await sandbox.siding("check")
        #expect(check.status == 0)
        #expect(check.error.contains(words) && check.error.contains(":5:"), "\(check.error)")
        #expect(try await sandbox.siding("check", "--json").output.contains(words))
    }

    @Test(arguments: [
        ("", "bind: { issue: $.siding_parent }", "'bind' takes 'siding_parent', a column of the view 'issues'"),
        ("set: { slug: name }, ", "bind: { issue: $.slug }", "'bind' takes 'slug', a column of the view 'issues'"),
        (
            "query: { since: '{cursor}' }, cursor: { path: $.at, order: asc, start: '2024-01-01T00:00:00Z' }, ",
            "bind: { issue: $.id }", "'issues' is listed from its 'cursor.start' on"
        ),
    ])
    func `check warns of incomplete parents, and of parents without the bound member`(
        _ parent: String, _ bind: String, _ words: String
    ) async throws {
        let sandbox = try Sandbox()
        try sandbox.config(
            """
            version: 1
            sources:
              shop: { base_url: https://shop.example }
            resources:
              issues: { path: /issues, \(parent)key: id }
              comments:
                path: "/issues/{issue}/comments"
                key: id
                deletes: { detect: complete_listing }
                for_each: { resource: issues, \(bind) }
            """)
        let check = try await sandbox.siding("check")
        #expect(check.status == 0)
        #expect(check.error.contains(words), "\(check.error)")
    }

    @Test(arguments: [
        "query: { filter: { env: prod } }", "query: { filter: { env: ORG, kind: a } }", "set: { ref: name }",
        "query: { since: '{cursor}' }, cursor: { path: $.at, order: asc, type: date, lookback: 1d }",
        "query: { since: '{cursor}' }, cursor: { path: $.at, order: asc, lookback: 30s, start: '2024-01-01T00:00:00Z' }",
    ])
    func `check has no warning where a key does what it says`(_ resource: String) async throws {
        let check = try await Self.sandbox(resource).siding("check")
        #expect(check.status == 0 && check.error == "", "\(check.error)")
    }

    @Test(arguments: ["Mars/Phobos", ":Europe/Berlin"])
    func `check warns of a schedule that follows a zone which TZ does not name`(_ zone: String) async throws {
        let sandbox = try Sandbox()
        try sandbox.config(
            """
            version: 1
            sources:
              shop: { base_url: https://shop.example }
            resources:
              jittered: { path: /items, key: id, schedule: { cron: "0 6 * * *", jitter: 1m } }
              zoned: { path: /items, key: id, schedule: { cron: "0 6 * * *", zone: Europe/Berlin } }
              regular: { path: /items, key: id, schedule: 1h }
            """)
        let check = try await sandbox.siding(["check"], environment: ["TZ": zone])
        #expect(check.status == 0)
        #expect(check.error.hasPrefix("siding.yaml:5:"), "\(check.error)")
        #expect(check.error.contains(": jittered: TZ is '\(zone)', which is not a time zone"), "\(check.error)")
        #expect(check.error.split(separator: "\n").count == 1, "\(check.error)")
        for known in ["Europe/Berlin", ""] {
            #expect(try await sandbox.siding(["check"], environment: ["TZ": known]).error == "")
        }
    }

    @Test(arguments: [
        "query: { since: '{cursor}' }, cursor: { path: $.at, order: asc }",
        "query: { since: '{cursor}', until: '{until}' }, cursor: { path: $.at }",
        "query: { sort: id }, deletes: { detect: complete_listing }",
        "query: { sort: last_name, order: asc }, deletes: { detect: complete_listing }",
        "query: { sort: credit_review_id, topic: hot }, deletes: { detect: complete_listing }",
        "paginate: page, deletes: { detect: complete_listing, verify: '/items/{id}' }",
        "query: { sort: updated_at }, deletes: { detect: complete_listing, verify: '/items/{id}' }",
    ])
    func `check has no warning for a safe config`(_ resource: String) async throws {
        let check = try await Self.sandbox(resource).siding("check")
        #expect(check.status == 0 && check.error == "")
    }
}

// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingOrigin
import Testing

@Suite(.serialized)
struct OriginErrorTests {
    @Test(
        arguments: [
            (401, Int32(77), "check the credentials"), (403, 69, "does not allow this request"),
            (404, 69, "check 'path'"),
            (410, 69, "check 'path'"), (422, 69, "422"), (501, 69, "501"),
        ])
    func `a refusal ends with its own exit code, says what to do, and retains nothing`(
        status: Int, code: Int32, advice: String
    ) async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, source: "retry: { inline: 0 }")
        service.origin.inject(.status(status), times: nil)
        let outcome = try await sandbox.siding("sync")
        #expect(outcome.status == code)
        #expect(outcome.output == "")
        #expect(outcome.error.contains("items: failed: the origin answered \(status)"))
        #expect(outcome.error.contains("GET \(service.url)/items"))
        #expect(outcome.error.contains(advice))
        #expect(try await sandbox.siding("queue", "list", "--json").output == "")
        #expect(try await sandbox.siding("sync", "--json").object()["outcome"] == .string("failed"))
        await service.origin.stop()
    }

    @Test func `the status shows since when syncs fail and why, and the work under way`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        service.origin.inject(.status(404), times: nil)
        #expect(try await sandbox.siding("sync").status == 69)
        #expect(try await sandbox.siding("sync").status == 69)
        let told = try await sandbox.siding("status", "--strict")
        #expect(told.status == 5)
        #expect(told.output.contains(/failing for \d+ m?s;[^\n]*\n    the origin answered 404/), "\(told.output)")
        #expect(told.output.split(separator: "\n").allSatisfy { $0.count <= 120 || $0.hasPrefix("database: ") })
        let object = try await sandbox.siding("status", "--json").object()["resources"]?.array?.first
        #expect(object?["error"]?["status"] == .number(404))
        let runs = try await sandbox.siding("runs", "list", "--json").objects()
        #expect(object?["failing_since"] == runs[1]["started_at"])
        service.origin.lift()
        service.listen { number, _ in
            guard number == 2 else { return nil }
            let status = try? await sandbox.siding("status", "--strict")
            #expect(
                status?.status == 0 && status?.output.contains("running, page 2") == true, "\(status?.output ?? "")")
            return nil
        }
        #expect(try await sandbox.siding("sync", "--full").status == 0)
        #expect(try await !sandbox.siding("status", "--strict").output.contains("failing"))
        await service.origin.stop()
    }

    @Test(arguments: ["Digest realm=\"a\", nonce=\"b\"", "Negotiate"])
    func `a refusal names the scheme of credentials that the origin wants and Siding does not have`(
        challenge: String
    ) async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        service.listen { _, _ in .json("{}", status: .unauthorized, headerFields: [.wwwAuthenticate: challenge]) }
        let outcome = try await sandbox.siding("sync")
        #expect(outcome.status == 77)
        #expect(outcome.error.contains("asks for '\(challenge.prefix { $0 != " " })' credentials"), "\(outcome.error)")
        await service.origin.stop()
    }

    @Test func `an answer that a rule takes for a refused credential ends as a 401 does`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, source: "errors: [{ when: { status: 403 }, do: refresh_token }]")
        service.origin.inject(.status(403), times: nil)
        let outcome = try await sandbox.siding("sync")
        #expect(outcome.status == 77)
        #expect(outcome.error.contains("check the credentials of the source"))
        #expect(!outcome.error.contains("does not allow this request"))
        let status = try await sandbox.siding("status", "--json").object()
        #expect(status["connectivity"]?["gates"]?.array?.first?["gate"] == .string("sign_in"))
        await service.origin.stop()
    }

    @Test func `a listing that answers 404 removes no stored record`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        service.origin.inject(.status(404), times: nil)
        #expect(try await sandbox.siding("sync").status == 69)
        #expect(try await sandbox.differences(from: service.items) == [])
        await service.origin.stop()
    }

    @Test func `an ignored refusal does not count as a failure, and removes nothing`() async throws {
        let service = try await Service.start()
        let rule = "{ when: { status: [404, 410] }, do: ignore, on: fetch }"
        let sandbox = try Sandbox.with(service, source: "errors: [\(rule)]")
        #expect(try await sandbox.siding("sync").status == 0)
        service.origin.inject(.status(404), times: nil)
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.differences(from: service.items) == [])
        #expect(try await sandbox.siding("runs", "show", "2").output.contains("says ignore"))
        await service.origin.stop()
    }

    @Test(arguments: [("daily quota is spent", Int32(0)), ("not for you", 69)])
    func `a rule may match a part of a header field`(reason: String, code: Int32) async throws {
        let service = try await Service.start()
        let field = try #require(HTTPField.Name("X-Reason"))
        let rule = "{ when: { status: 403, header: { name: X-Reason, contains: quota } }, do: ignore }"
        let sandbox = try Sandbox.with(service, source: "errors: [\(rule)]")
        service.listen { _, _ in .json("{}", status: .forbidden, headerFields: [field: reason]) }
        #expect(try await sandbox.siding("sync").status == code)
        await service.origin.stop()
    }

    @Test(arguments: [
        ("header: { name: X-Reason, exists: true }", true), ("header: { name: X-Other, exists: true }", false),
        ("header: { name: X-Other, exists: false }", true),
        ("body: { path: \"$.errors[*].code\", exists: true }", true),
        ("body: { path: $.errors, exists: false }", false),
    ])
    func `a rule may match the presence of a header field or a value`(condition: String, fits: Bool) async throws {
        let service = try await Service.start()
        let field = try #require(HTTPField.Name("X-Reason"))
        let rule = "{ when: { status: 403, \(condition) }, do: ignore }"
        let sandbox = try Sandbox.with(service, source: "errors: [\(rule)]")
        service.listen { _, _ in
            .json(#"{"errors":[{"code":7}]}"#, status: .forbidden, headerFields: [field: "quota"])
        }
        #expect(try await sandbox.siding("sync").status == (fits ? 0 : 69))
        await service.origin.stop()
    }

    @Test func `a quarantined answer is kept with its reason, and the exit is 3 until a good one comes`() async throws {
        let service = try await Service.start()
        let rule = "{ when: { status: 422 }, do: quarantine }"
        let sandbox = try Sandbox.with(
            service, resource: "errors: [\(rule)]", more: "  plain: { path: /items, key: id }")
        service.listen { _, _ in .json(#"{"message":"no such filter"}"#, status: .unprocessableContent) }
        let aside = try await sandbox.siding("sync", "items")
        #expect(aside.status == 3)
        #expect(aside.error.contains("items: 1 answer was quarantined by a rule: 'siding quarantine list'"), "\(aside)")
        #expect(!aside.error.contains("broke the contract"))
        let kept = try await sandbox.siding("quarantine", "list", "--json").object()
        #expect(kept["resource"]?.string == "items" && kept["url"]?.string == "\(service.url)/items")
        let id = try #require(kept["id"]?.int)
        #expect(try await sandbox.siding("quarantine", "show", "\(id)", "--body").output.contains("no such filter"))
        #expect(try await sandbox.siding("sync", "plain").status == 69, "the rule is of the other resource")
        service.deafen()
        #expect(try await sandbox.siding("sync", "items").status == 0)
        #expect(try await sandbox.siding("quarantine", "list", "--json").output == "")
        await service.origin.stop()
    }

    @Test(arguments: [429, 503])
    func `an origin that asks for a wait is not requested before that time, and the exit is 75`(
        status: Int
    ) async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, source: "retry: { inline: 0 }")
        service.origin.inject(.status(status, retryAfter: "3600"), skipping: 1)
        let first = try await sandbox.siding("sync")
        #expect(first.status == 75)
        #expect(first.error.contains("the origin answered \(status)"))
        let entry = try await sandbox.siding("queue", "list", "--json").object()
        #expect(entry["attempts"] == .number(0))
        let printed = try await sandbox.siding("status").output
        #expect(printed.contains("source ") && printed.contains("waits, for another "), "\(printed)")
        #expect(printed.contains("waiting for ") && printed.matches(of: /answered \d+/).count == 1, "\(printed)")
        let id = try #require(entry["id"]?.string)
        func history() async throws -> JSONValue? {
            try await sandbox.siding("queue", "show", id, "--json").object()["history"]
        }
        let before = try await history()
        service.origin.forgetRequests()
        let second = try await sandbox.siding("sync")
        #expect(second.status == 75)
        #expect(second.error.contains("items: waits 60 min more: the origin answered \(status)"), "\(second.error)")
        #expect(second.error.contains("'siding sync --now' asks at once"))
        #expect(!second.error.contains("resumed at page"))
        #expect(service.targets == [])
        #expect(try await history() == before)
        let shown = try await sandbox.siding("status", "--json").object()
        #expect(shown["connectivity"]?["gates"]?.array?.first?["gate"] == .string("retry_after"))
        #expect(try await sandbox.siding("sync", "--now", "--offline").status == 64)
        #expect(try await sandbox.siding("sync", "--now").status == 0)
        #expect(service.targets.first == "/items?page=2")
        await service.origin.stop()
    }

    @Test(arguments: [500, 502, 504, 408])
    func `a temporary fault of the origin is queued, and the next sync continues`(status: Int) async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, source: "retry: { inline: 0 }")
        service.origin.inject(.status(status), skipping: 2)
        #expect(try await sandbox.siding("sync").status == 75)
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(service.targets == ["/items", "/items?page=2", "/items?page=3", "/items?page=3", "/items?page=4"])
        #expect(try await sandbox.differences(from: service.items) == [])
        await service.origin.stop()
    }

    @Test(
        arguments: [
            OriginFault.resetBeforeHead, .closeBeforeHead, .resetAfterHead, .cutBody(chunked: true),
            .cutBody(chunked: false), .garbageHead, .brokenGzip, .cutGzip,
        ])
    func `a broken answer in mid-listing loses nothing: the next sync requests that page again`(
        fault: OriginFault
    ) async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, source: "retry: { inline: 0 }")
        service.origin.inject(fault, skipping: 2)
        let first = try await sandbox.siding("sync")
        #expect([65, 69, 75].contains(first.status), "\(first.status)")
        #expect(first.error.contains("\(service.url)/items?page=3"))
        #expect(!first.hasControlCharacters)
        #expect(try await sandbox.count() == 20)
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.differences(from: service.items) == [])
        await service.origin.stop()
    }

    @Test func `an origin that never answers is given up after the time limit, and the page is queued`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(
            service, source: "retry: { inline: 0 }, http: { idle_timeout: 300ms, total_timeout: 600ms }")
        service.origin.inject(.hang, skipping: 1)
        let outcome = try await sandbox.siding("sync")
        #expect(outcome.status == 75)
        #expect(outcome.error.contains("timeout"))
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.differences(from: service.items) == [])
        await service.origin.stop()
    }

    @Test func `an origin that falls silent is given up after the idle time alone`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, source: "retry: { inline: 0 }, http: { idle_timeout: 300ms }")
        service.origin.inject(.stallBody, skipping: 1)
        // The usual budget of a request is longer than a command may take here.
        let outcome = try await sandbox.siding("sync")
        #expect(outcome.status == 75)
        #expect(outcome.error.contains("timeout"), "\(outcome.error)")
        await service.origin.stop()
    }

    @Test func `where one of two resources fails, the other is saved and the exit is 3`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, more: "  gone: { path: /gone, key: id }")
        let outcome = try await sandbox.siding("sync")
        #expect(outcome.status == 3)
        #expect(outcome.error.contains("gone: failed: the origin answered 404"))
        #expect(try await sandbox.differences(from: service.items) == [])
        let objects = try await sandbox.siding("sync", "--json").objects()
        #expect(objects.map { $0["outcome"] } == [.string("not_modified"), .string("failed")])
        let failed = try await sandbox.siding("sync", "--failed", "--json").objects()
        #expect(failed.map { $0["resource"] } == [.string("gone")])
        await service.origin.stop()
    }

    @Test func `where one of two origins is down, the other's records are saved and the exit is 75`() async throws {
        let service = try await Service.start()
        let down = try await Service.start()
        await down.origin.stop()
        let sandbox = try Sandbox()
        try sandbox.config(
            """
            version: 1
            database: { path: test.db }
            sources:
              up: { base_url: \(service.url) }
              down: { base_url: \(down.url) }
            resources:
              lost: { source: down, path: /items, key: id }
              items: { source: up, path: /items, key: id }
            """)
        #expect(try await sandbox.siding("sync").status == 75)
        #expect(try await sandbox.differences(from: service.items) == [])
        await service.origin.stop()
    }

    @Test func `an origin whose name does not exist is refused in plain words, or queued without a network`()
        async throws
    {
        let sandbox = try Sandbox()
        try sandbox.config(
            """
            version: 1
            database: { path: test.db }
            sources: { shop: { base_url: "https://shop.invalid", retry: { inline: 0 } } }
            resources: { items: { path: /items, key: id } }
            """)
        let outcome = try await sandbox.siding("sync")
        #expect([69, 75].contains(outcome.status))
        #expect(outcome.error.contains("https://shop.invalid/items"))
        #expect(!outcome.error.contains("Error Domain") && !outcome.error.contains("NIO"))
    }

    @Test func `pages in a circle end the listing, and are reported even to cron`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        service.listen { _, request in
            .json(
                #"{"items":[{"id":\#(request.query["page"] ?? "0")}],"next":"\#(service.url)/items?page=\#(request.query["page"] == "1" ? 2 : 1)"}"#
            )
        }
        let outcome = try await sandbox.siding("sync")
        #expect(outcome.error.contains("a loop"))
        #expect(service.targets.count < 6)
        await service.origin.stop()
    }
}

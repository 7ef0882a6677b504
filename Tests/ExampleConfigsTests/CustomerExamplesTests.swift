// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingManifest
import SidingTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct CustomerExamplesTests {
    @Test func `hubspot: paging.next.after, the burst limit in the middle, a migration, a write`() async throws {
        let bench = try await ExampleBench("hubspot", secrets: ["HUBSPOT_ACCESS_TOKEN": "pat-eu1-example"])
        let contacts = "GET https://api.hubapi.com/crm/v3/objects/contacts"
        let properties = "properties=email%2Cfirstname%2Clastname%2Clifecyclestage%2Clastmodifieddate"
        #expect(try await bench.sync("contacts").result.counters.inserted == 3)
        let first = bench.transport.takeRequests()
        #expect(
            first.map(WatchedTransport.line) == [
                "\(contacts)?limit=100&\(properties)", "\(contacts)?limit=100&\(properties)&after=52",
            ])
        #expect(first.allSatisfy { $0.headerFields[.authorization] == "Bearer pat-eu1-example" })
        #expect(
            try await bench.rows("SELECT id, typeof(id), email, lastname, stage, updated_at FROM contacts ORDER BY id")
                == [
                    "51|integer|ada@example.com|Example|lead|2026-11-18T10:00:00.000Z",
                    "52|integer|grace@example.com|Example|customer|2026-11-19T10:00:00.000Z",
                    "53|integer|-|Example|lead|2026-11-20T10:00:00.000Z",
                ])

        #expect(try await bench.sync("contacts").result.outcome == .queued)
        #expect(bench.asked().count == 2)
        #expect(try await bench.rows("SELECT stage FROM contacts WHERE id = 51") == ["customer"])
        bench.wall.advance(by: .seconds(61))
        #expect(try await bench.sync("contacts").result.outcome == .saved)
        #expect(bench.asked() == ["\(contacts)?limit=100&\(properties)&after=52"])

        #expect(try await bench.sync("companies").result.outcome == .queued)
        _ = bench.asked()
        let gated = try await bench.send("contacts", .update, id: "53", #"{"properties":{"email":"x@example.com"}}"#)
        #expect(gated.state == .queued)
        #expect(bench.asked() == [])
        bench.wall.advance(by: .seconds(3600))
        #expect(try await bench.sync("companies").result.counters.inserted == 1)
        #expect(try await bench.rows("SELECT id, domain, employees FROM companies") == ["91|example.com|12"])

        _ = bench.asked()

        // The answer has the properties that were sent, and the others stay as they were.
        #expect(try await bench.drain().map(\.state) == [.done])
        #expect(bench.asked() == ["PATCH https://api.hubapi.com/crm/v3/objects/contacts/53"])
        let edited = "SELECT email, lastname, stage, siding_pending, updated_at FROM contacts WHERE id = 53"
        #expect(try await bench.rows(edited) == ["x@example.com|Example|lead|0|2026-11-22T13:01:01.000Z"])
        #expect(bench.transport.unused.isEmpty)
    }

    @Test func `zendesk: exports by cursor up to end_of_stream, users by links.next, a ticket made once`() async throws
    {
        let bench = try await ExampleBench(
            "zendesk", secrets: ["ZENDESK_USER": "ada@example.com/token", "ZENDESK_API_TOKEN": "api-token"])
        let api = "https://your-subdomain.zendesk.com/api/v2"
        let export = "GET \(api)/incremental/tickets/cursor.json"
        #expect(try await bench.sync("tickets").result.counters.inserted == 3)
        let first = bench.transport.takeRequests()
        #expect(
            first.map(WatchedTransport.line) == [
                "\(export)?start_time=1262304000", "\(export)?cursor=MTc5NTAwMDAwMC4wfHwxMDF8",
            ])
        #expect(
            first.allSatisfy {
                $0.headerFields[.authorization] == "Basic YWRhQGV4YW1wbGUuY29tL3Rva2VuOmFwaS10b2tlbg=="
            })
        #expect(
            try await bench.rows("SELECT id, status, requester_id, updated_at FROM tickets ORDER BY id") == [
                "100|open|7|2026-11-18T09:00:00.000Z", "101|solved|8|2026-11-18T10:00:00.000Z",
                "102|new|7|2026-11-19T09:00:00.000Z",
            ])
        #expect(
            try await bench.rows("SELECT siding_parent, value FROM tickets_tags ORDER BY 2") == [
                "100|printer", "100|vip",
            ])
        #expect(try await bench.rows("SELECT siding_parent, id, value FROM tickets_fields") == ["100|27642|745"])
        #expect(try await bench.cursor("tickets") == "1795078800")

        #expect(try await bench.sync("tickets").result.counters.updated == 1)
        #expect(bench.asked() == ["\(export)?start_time=1795078800"])
        #expect(try await bench.rows("SELECT status FROM tickets WHERE id = 101") == ["deleted"])
        #expect(try await bench.cursor("tickets") == "1795251600")

        #expect(try await bench.sync("users").result.counters.inserted == 2)
        #expect(
            bench.asked() == [
                "GET \(api)/users.json?page%5Bsize%5D=100",
                "GET \(api)/users.json?page%5Bafter%5D=eyJvIjoiaWQifQ%3D%3D&page%5Bsize%5D=100",
            ])
        let made = try await bench.send(
            "tickets", .create, #"{"ticket":{"comment":{"body":"It smokes"},"subject":"Fire"}}"#)
        #expect(made.state == .done)
        let sent = bench.transport.takeRequests()
        #expect(sent.map(WatchedTransport.line) == ["POST \(api)/tickets.json"])
        #expect(sent.first?.field("Idempotency-Key")?.isEmpty == false)
        #expect(
            try await bench.rows("SELECT id, subject, status, siding_pending FROM tickets WHERE id > 102") == [
                "103|Ticket 103|new|0"
            ])

        // Bodies and answers wrap the ticket, of which a PUT says a part.
        let edited = "SELECT subject, status, requester_id, siding_pending FROM tickets WHERE id = 100"
        try await bench.accept(
            "tickets", .update, id: "100", #"{"ticket":{"status":"solved","comment":{"body":"Done"}}}"#)
        #expect(try await bench.rows(edited) == ["Ticket 100|solved|7|1"])
        #expect(try await bench.drain().map(\.state) == [.done])
        #expect(bench.asked() == ["PUT \(api)/tickets/100.json"])
        #expect(try await bench.rows(edited) == ["Ticket 100|solved|7|0"])
        let members = "SELECT group_concat(j.key) FROM siding_records_tickets r, json_each(r.body) j WHERE r.key = 100"
        let stored = try #require(try await bench.rows(members).first).split(separator: ",").map(String.init)
        #expect(stored.contains("requester_id") && !stored.contains("ticket") && !stored.contains("audit"))
        #expect(!stored.contains("comment"))

        #expect(try await bench.sync("users").result.outcome == .queued)
        #expect(try await bench.entries().first { $0.state == .queued }?.nextAttemptAt == bench.wall.now + .seconds(31))
        #expect(bench.transport.unused.isEmpty)
    }
}

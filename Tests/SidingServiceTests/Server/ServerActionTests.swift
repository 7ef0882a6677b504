// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingInspection
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding
@testable import SidingService

/// Actions do what the commands do, and the history says by whom.
@Suite(.timeLimit(.minutes(5))) struct ServerActionTests {
    private static let bearer = ["Authorization": "Bearer \(ServiceBench.token)"]

    @Test func `entries are held, released, retried and dropped by programs`() async throws {
        let bench = try await ServiceBench()
        let entry = try await bench.write()
        let steps: [(String, String, QueueEntry.State)] = [
            ("hold", "held", .parked), ("release", "released", .queued), ("hold", "held", .parked),
            ("retry", "retried", .queued), ("drop", "dropped", .dropped),
        ]
        try await bench.serving(token: ServiceBench.token) { client in
            for (action, event, state) in steps {
                let answer = try await client.ask("POST", "/api/queue/\(entry.id)/\(action)", Self.bearer)
                #expect(answer.status == 200, "\(answer.text)")
                #expect(try await bench.entry(entry.id).state == state)
                let last = try #require(try await bench.history(entry.id).last)
                #expect(last.event.rawValue == event && last.who.hasPrefix("API, process "))
                let change = QueueChange(entry: try await bench.entry(entry.id))
                let decision = OperatorAction.act(try #require(QueueAction(rawValue: action)))
                #expect(answer.text == Shapes.change(change, by: decision, isRehearsal: false).text + "\n")
            }
        }
    }

    @Test func `an action that is refused says why, and changes nothing`() async throws {
        let bench = try await ServiceBench()
        let entry = try await bench.write()
        try await bench.serving(token: ServiceBench.token) { client in
            let answer = try await client.ask("POST", "/api/queue/\(entry.id)/release", Self.bearer)
            #expect(answer.status == 409 && answer.text.contains(#""done":false,"refusal":"it is not parked""#))
            #expect(try await bench.history(entry.id).map(\.event) == [.accepted])
            for (path, status) in [
                ("/api/queue/nosuchentry/hold", 404), ("/api/queue/\(entry.id)/purge", 404), ("/api/queue", 404),
                ("/api/queue/\(entry.id)/resolve", 400), ("/api/queue/\(entry.id)/resolve?how=guess", 400),
                ("/api/queue/\(entry.id)/hold?token=x", 400), ("/api/quarantine/1/hold", 404),
                ("/api/quarantine/x/retry", 400), ("/api/quarantine/99/retry", 404), ("/api/status", 404),
            ] {
                #expect(try await client.ask("POST", path, Self.bearer).status == status, "\(path)")
            }
            let merge = try await client.ask("POST", "/api/queue/\(entry.id)/resolve?how=merge", Self.bearer, body: "{")
            #expect(merge.status == 400 && merge.text.contains(#""name":"invalid_json""#))
        }
    }

    @Test func `an uncertain write is resolved as delivered`() async throws {
        let bench = try await ServiceBench()
        let entry = try await bench.write()
        try await bench.store.write { transaction in
            _ = try bench.store.transitions().park(entry, as: .uncertain, nil, transaction)
        }
        try await bench.serving(token: ServiceBench.token) { client in
            let answer = try await client.ask("POST", "/api/queue/\(entry.id)/resolve?how=arrived", Self.bearer)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try await bench.entry(entry.id).state == .done)
        }
    }

    @Test func `the form of a page acts, and leads back to the entry with the result`() async throws {
        let bench = try await ServiceBench()
        let entry = try await bench.write()
        try await bench.serving { client in
            let session = try await client.session("/queue/\(entry.id)")
            for (action, done, event) in [
                ("hold", "held", "held"), ("release", "released", "released"), ("retry", "made%20due", "retried"),
                ("release", "not%20released%3A%20it%20is%20not%20parked", nil), ("drop", "dropped", "dropped"),
            ] as [(String, String, String?)] {
                let answer = try await client.post(
                    "/queue/\(entry.id)/\(action)", form: "token=\(session.token)", cookie: session.cookie)
                #expect(answer.status == 303)
                let place = try #require(answer["Location"])
                #expect(place.hasPrefix("/queue/\(entry.id)?done=\(done)&proof="))
                let notices = try Self.notices(try await client.get(place, ["Cookie": session.cookie]))
                #expect(notices == [PercentCoding.decode(done)])
                guard let event else { continue }
                let last = try #require(try await bench.history(entry.id).last)
                #expect(last.event.rawValue == event && last.who.hasPrefix("web page, process "))
            }
        }
    }

    private static func notices(_ answer: ServerAnswer) throws -> [String] {
        #expect(answer.status == 200)
        return try ParsedPage(answer.text).all("p") { $0["role"] == "status" }.map(\.text)
    }

    @Test func `a message in a foreign link is not shown as a result`() async throws {
        let bench = try await ServiceBench()
        let entry = try await bench.write()
        try await bench.serving { client in
            let mine = try await client.session("/queue/\(entry.id)")
            let other = try await client.session("/queue/\(entry.id)")
            let held = try await client.post(
                "/queue/\(entry.id)/hold", form: "token=\(mine.token)", cookie: mine.cookie)
            let place = try #require(held["Location"])
            for (address, cookie) in [
                ("/?done=send+your+password", nil), ("/?done=send+your+password&proof=", mine.cookie),
                (place, nil), (place, other.cookie), (place.replacing("done=held", with: "done=lost"), mine.cookie),
            ] as [(String, String?)] {
                let fields = cookie.map { ["Cookie": $0] } ?? [:]
                let notices = try Self.notices(try await client.get(address, fields))
                #expect(notices == [], "\(address)")
            }
        }
    }

    @Test func `quarantined records are retried and dropped`() async throws {
        let bench = try await ServiceBench()
        try await bench.syncTwice()
        let record = try #require(try await bench.store.quarantined(QuarantineSelection()).first)
        try await bench.serving(token: ServiceBench.token) { client in
            let path = "/api/quarantine/\(record.id)"
            let retried = try await client.ask("POST", "\(path)/retry", Self.bearer)
            #expect(retried.status == 409 && retried.text.contains(#""done":false,"refusal":"#))
            let dropped = try await client.ask("POST", "\(path)/drop", Self.bearer)
            #expect(dropped.status == 200 && dropped.text.hasSuffix(#""done":true}"# + "\n"))
            #expect(try await bench.store.quarantined(QuarantineSelection()).isEmpty)
        }
    }

    @Test func `a sync is requested by a form and by a program, and runs once at a time`() async throws {
        let bench = try await ServiceBench()
        let (begun, end) = (ChangeSignal(), ChangeSignal())
        try await bench.serving(
            token: ServiceBench.token,
            sync: { resource in
                #expect(resource.name == "notes")
                begun.fire()
                await end.wait(past: 0)
            }
        ) { client in
            let first = try await client.ask("POST", "/api/records/notes/sync", Self.bearer)
            #expect(first.status == 200 && first.text == #"{"resource":"notes","done":true}"# + "\n")
            await begun.wait(past: 0)
            let second = try await client.ask("POST", "/api/records/notes/sync", Self.bearer)
            #expect(second.status == 409 && second.text.contains("it is being synced already"))
            #expect(begun.count == 1)
            end.fire()
            #expect(try await client.ask("POST", "/api/records/other/sync", Self.bearer).status == 404)
            #expect(try await client.ask("POST", "/api/records/notes/sync").status == 401)
        }
    }

    @Test func `the sync of a page passes the gate of its source, and leads to its runs`() async throws {
        let bench = try await ServiceBench()
        try await bench.sync("[]")
        bench.origin.set(.text("later", status: .serviceUnavailable))
        _ = try? await bench.siding.sync(bench.notes)
        #expect(try await bench.store.entries(QueueSelection(kinds: [.fetch])).count == 1)
        bench.origin.set("[]")
        let done = ChangeSignal()
        let siding = bench.siding
        try await bench.serving(
            sync: { resource in
                defer { done.fire() }
                _ = try await siding.sync(resource)
            }
        ) { client in
            let session = try await client.session("/")
            for form in ["", "token=x"] {
                let refused = try await client.post("/records/notes/sync", form: form, cookie: session.cookie)
                #expect(refused.status == 403)
            }
            let answer = try await client.post(
                "/records/notes/sync", form: "token=\(session.token)", cookie: session.cookie)
            #expect(answer.status == 303)
            #expect(
                answer["Location"]?.hasPrefix("/runs?resource=notes&done=a%20sync%20of%20notes%20begins&proof=") == true
            )
            await done.wait(past: 0)
            #expect(try await bench.store.gates().closed("desk", at: bench.time.clock.now) == nil)
            let newest = try await bench.store.newestOutcomes(of: ["notes"])
            #expect(newest["notes"] == .saved)
        }
    }

    @Test func `several parked entries are acted on at once, except uncertain ones`() async throws {
        let bench = try await ServiceBench()
        var entries: [QueueEntry] = []
        for reason in [ParkReason.rejected, .rejected, .uncertain] {
            let entry = try await bench.write()
            try await bench.park(entry, reason, status: 422)
            entries.append(entry)
        }
        let ids = entries.map { "&id=\($0.id)" }.joined()
        try await bench.serving { client in
            let session = try await client.session("/queue/\(entries[0].id)")
            let refused = try await client.post("/queue/retry", form: "token=x\(ids)", cookie: session.cookie)
            #expect(refused.status == 403)
            let retried = try await client.post(
                "/queue/retry", form: "token=\(session.token)\(ids)", cookie: session.cookie)
            let place = try #require(retried["Location"])
            let notices = try Self.notices(try await client.get(place, ["Cookie": session.cookie]))
            #expect(notices == ["made due: 2 entries; 1 entry not: no longer parked, or in doubt"])
            var states: [QueueEntry.State] = []
            for entry in entries { states.append(try await bench.entry(entry.id).state) }
            #expect(states == [.queued, .queued, .parked])
            let dropped = try await client.post(
                "/queue/drop", form: "token=\(session.token)\(ids)", cookie: session.cookie)
            #expect(dropped["Location"]?.hasPrefix("/queue?done=dropped%3A%201%20entry") == true)
            #expect(try await bench.entry(entries[0].id).state == .queued)
            #expect(try await bench.entry(entries[2].id).state == .dropped)
            for (path, form) in [("/queue/retry", ""), ("/queue/resolve", ids), ("/queue/purge", ids)] {
                let answer = try await client.post(
                    path, form: "token=\(session.token)\(form)", cookie: session.cookie)
                #expect([400, 404].contains(answer.status), "\(path)")
            }
        }
        try await bench.serving(token: ServiceBench.token) { client in
            let answer = try await client.ask("POST", "/api/queue/retry", Self.bearer)
            #expect(answer.status == 404)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingOrigin
import Testing

/// An origin that takes every write, and a sandbox with a source for it.
struct QueueShop {
    let service: Service
    let sandbox: Sandbox

    /// - Parameter more: the rest of the config; by default updates of `items`.
    init(source: String = "", more: String = #"writes: { items: { update: { path: "/items/{id}" } } }"#) async throws {
        service = try await Service.start(items: 3)
        sandbox = try Sandbox.with(service, source: "retry: { inline: 0 }\(source)", more: more)
        service.listen { _, request in request.method == "GET" ? nil : .json("{}", status: .created) }
    }

    /// Keeps a POST to `/path` without sending it.
    func keep(_ path: String, _ more: String...) async throws -> String {
        let sent = try await sandbox.siding(["send", "POST", "shop:/\(path)", "-d", "{}", "--no-send"] + more)
        try #require(sent.status == 0, "\(sent.error)")
        return try #require(sent.lines.first.map(String.init))
    }

    func park(_ id: String, _ reason: String) async throws {
        try await sql("UPDATE siding_outbox SET state = 'parked', reason = '\(reason)' WHERE id = '\(id)'")
    }

    func sql(_ text: String) async throws {
        try await sandbox.sqlite(sandbox.file("test.db"), "PRAGMA busy_timeout = 5000; \(text)")
    }

    func queue(_ arguments: String...) async throws -> Outcome {
        try await sandbox.siding(["queue"] + arguments)
    }

    func shown(_ id: String) async throws -> [String: JSONValue] {
        try await queue("show", id, "--json").object()
    }

    func state(_ id: String) async throws -> String? { try await shown(id)["state"]?.string }

    func events(_ id: String) async throws -> [String?] {
        (try await shown(id)["history"]?.array ?? []).map { $0["event"]?.string }
    }

    /// What the queue holds, completed or not, as a person who only looks would find it.
    func rows() async throws -> String {
        let rows = try await sandbox.siding("query", "select * from siding_outbox order by seq", "--json").output
        let requests = "select * from siding_outbox_requests order by entry"
        return rows + (try await sandbox.siding("query", requests, "--json").output)
    }

    /// The entry of an edit of item `number` that the origin answered with 409.
    func conflict(_ number: Int) async throws -> String {
        service.origin.inject(.status(409), at: OriginPattern(method: "PATCH"))
        let sent = try await sandbox.siding("send", "items.update", "\(number)", "-d", #"{"title":"mine"}"#)
        try #require(sent.status == 69)
        return try #require(sent.lines.first.map(String.init))
    }
}

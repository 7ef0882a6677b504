// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingOrigin
import Testing

/// A search that stops between two pages goes on with the body of the next.
@Suite(.serialized)
struct SearchResumingTests {
    private static let resource = """
        key: id
        method: POST
        body: { size: 1, mark: "ü \\"quoted\\" {}" }
        paginate: { type: cursor, path: $.next, in: body, param: $.page.after }
        """

    /// Ten pages of one record, each with a token of some KiB.
    private static func answer(_ search: SearchRequest) -> String {
        var number = 1
        if case .string(let token)? = search["page", "after"] { number = Int(token.prefix { $0 != "-" }) ?? 99 }
        let next = number < 10 ? #""\#(number + 1)-\#(filler(number + 1))""# : "null"
        return #"{"items":[{"id":\#(number)}],"next":\#(next)}"#
    }

    private static func filler(_ number: Int) -> String {
        String(repeating: #"é\"\\/ +&=%\#(number)"#, count: 500)
    }

    @Test(arguments: [2, 5, 10])
    func `after kill -9 at any page, one more sync requests the rest with the same bodies`(page: Int) async throws {
        let child = Promise<Child>()
        let origin = try await Origin.searching { search in
            if search.request.order == page { try? await child.value().send(SIGKILL) }
            return Self.answer(search)
        }
        let sandbox = try Sandbox()
        try sandbox.config(origin.config(Self.resource))
        #expect(try await sandbox.siding(["sync"]) { child.fulfil($0) }.status == 137)
        let outcome = try await sandbox.siding("sync")
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(try await sandbox.keys() == (1...10).map(String.init))
        let asked = Dictionary(grouping: origin.bodies) { $0 }.mapValues(\.count)
        #expect(asked.count == 10)
        #expect(asked.values.allSatisfy { $0 <= 2 })
        await origin.stop()
    }

    @Test func `a failed page is kept with its body, shown, and requested again`() async throws {
        let origin = try await Origin.searching { search in Self.answer(search) }
        let sandbox = try Sandbox()
        try sandbox.config(origin.config(Self.resource))
        // The fourth request, once.
        origin.inject(.status(500), skipping: 3)
        let outcome = try await sandbox.siding("sync")
        #expect(outcome.status == 75, "\(outcome.everything)")
        let kept = origin.bodies.last ?? ""
        let entry = try await sandbox.siding("queue", "list", "--json").object()
        var id = ""
        if case .string(let text)? = entry["id"] { id = text }
        let body = try await sandbox.siding("queue", "show", id, "--body").output
        #expect(body == kept)
        let curl = try await sandbox.siding("queue", "show", id, "--curl").output
        let quoted = kept.replacing("'", with: "'\\''")
        for part in ["-X POST", "'Content-Type: application/json'", "--data-raw", quoted] {
            #expect(curl.contains(part))
        }
        let shown = try await sandbox.siding("queue", "show", id).output
        #expect(shown.contains("--body prints it"))
        origin.forgetRequests()
        #expect(try await sandbox.siding("sync").status == 0)
        let first = origin.bodies.first
        #expect(first == kept)
        #expect(try await sandbox.keys() == (1...10).map(String.init))
        await origin.stop()
    }

    @Test func `a search is a read: it is sent again at once where a GET would be`() async throws {
        let origin = try await Origin.searching { search in Self.answer(search) }
        let sandbox = try Sandbox()
        try sandbox.config(
            origin.config(Self.resource).replacing("retry: { inline: 0 }", with: "retry: { inline: 1, base: 1ms }"))
        origin.inject(.status(503), skipping: 2)
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(origin.bodies.count == 11)
        #expect(origin.bodies[2] == origin.bodies[3])
        await origin.stop()
    }
}

// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingOrigin
import SidingSynchronization
import Testing

/// A bad write keeps its own lane waiting, and nobody else's.
@Suite(.serialized)
struct QueueLaneTests {
    /// Numbers as they were taken, per lane.
    private final class Taken: Sendable {
        let lanes = Mutex<[String: [Int]]>([:])

        func take(_ lane: String, _ number: Int) { lanes.withLock { $0[lane, default: []].append(number) } }
        var all: [String: [Int]] { lanes.withLock { $0 } }
    }

    @Test func `of a hundred writes in ten lanes one is bad: its lane waits, the rest is delivered at once, in order`()
        async throws
    {
        let taken = Taken()
        let service = try await Service.start(items: 1)
        service.listen { _, request in
            let parts = request.path.split(separator: "/")
            guard request.method == "POST", parts.count == 2, let number = Int(parts[1]) else { return nil }
            guard request.body != Array(#"{"amount":"bad"}"#.utf8) else {
                return .json(#"{"message":"amount is not a number"}"#, status: .unprocessableContent)
            }
            taken.take(String(parts[0]), number)
            return .json("{}", status: .created)
        }
        let sandbox = try Sandbox.with(service)
        let store = try await Store.open(at: sandbox.file("test.db"))
        var bad = ""
        for number in 1...10 {
            for lane in 0..<10 {
                let isBad = lane == 3 && number == 4
                let entry = try await store.enqueue(
                    WriteRequest(
                        to: "shop", .post, HTTPURL("\(service.url)/l\(lane)/\(number)"),
                        body: Array((isBad ? #"{"amount":"bad"}"# : #"{"amount":1}"#).utf8)
                    )
                    .with(\.lane, "l\(lane)"))
                if isBad { bad = entry.id }
            }
        }
        await store.close()

        let run = try await sandbox.siding("queue", "run")
        #expect(run.status == 3, "some were delivered, one was refused")
        #expect(run.error.contains("parked: rejected"))
        #expect(try await sandbox.siding("queue", "list", "--json", "--state", "done").lines.count == 93)
        let waiting = try await sandbox.siding("queue", "list", "--json").objects()
        #expect(waiting.count == 7)
        #expect(waiting.allSatisfy { $0["lane"]?.string == "l3" })
        #expect(waiting.filter { $0["state"]?.string == "parked" }.map { $0["id"]?.string } == [bad])
        #expect(taken.all["l3"] == [1, 2, 3])

        // Asked again, nothing goes past it, it is not sent again on its own, and nobody waits for it for ever.
        #expect(try await sandbox.siding("queue", "run").status == 0)
        #expect(try await sandbox.siding("queue", "run", "--watch").status == 0)
        let late = try await sandbox.siding("send", "POST", "shop:/l3/11", "-d", "{}", "--lane", "l3", "--wait")
        #expect(late.status == 75)
        #expect(taken.all["l3"] == [1, 2, 3])
        #expect(service.origin.requests.count == 94)

        #expect(try await sandbox.siding("queue", "drop", bad, "--yes").status == 0)
        #expect(try await sandbox.siding("queue", "run").status == 0)
        #expect(try await sandbox.siding("queue", "list", "--json").output == "")
        for lane in 0..<10 {
            let wanted = lane == 3 ? [1, 2, 3, 5, 6, 7, 8, 9, 10, 11] : Array(1...10)
            #expect(taken.all["l\(lane)"] == wanted, "lane \(lane)")
        }
        await service.origin.stop()
    }
}

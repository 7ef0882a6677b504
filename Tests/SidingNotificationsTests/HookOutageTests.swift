// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingSynchronization
import SidingTesting
import Testing

@testable import SidingNotifications

/// A hook that is down: when it is called again, and with what.
@Suite struct HookOutageTests {
    @Test func `a hook that is down is called again after waits that grow, and the others are notified once`()
        async throws
    {
        let bench = try await NotifyBench()
        let (down, up) = (ScriptedTransports(), ScriptedTransports())
        down.answer.withLock { $0 = .failure(Failure(.cantConnectToHost(.refused), phase: .notSent)) }
        let hooks = [NotifyBench.hook(), NotifyBench.hook("http://127.0.0.1:2/hook")]
        let transports = ByPort(["127.0.0.1:1": down, "127.0.0.1:2": up])
        try await bench.run(.failed, error: "403")
        var called: [Int] = []
        for second in stride(from: 0, through: 600, by: 15) {
            try await bench.notifier(hooks, transports: transports).notify()
            if !down.take().isEmpty { called.append(second) }
            bench.time.advance(by: .seconds(15))
        }
        #expect(called == [0, 60, 180, 420])
        #expect(up.take().count == 1)
        #expect(bench.reported.count == 4)
        #expect(bench.reported.allSatisfy { $0.hasPrefix("notify: url 127.0.0.1:1 failed: ") })
        #expect(bench.reported.first?.hasSuffix("; it is called again after 60 s") == true)
        down.answer.withLock { $0 = .status(.noContent) }
        bench.time.advance(by: .seconds(3_600))
        for _ in 1...3 { try await bench.notifier(hooks, transports: transports).notify() }
        #expect(down.take().count == 1)
        #expect(up.take().count == 0)
    }

    @Test
    func `a hook that is down is left alone whatever begins and ends meanwhile, and told the newest once it is up`()
        async throws
    {
        let bench = try await NotifyBench()
        bench.receiver.answer.withLock { $0 = .status(.serviceUnavailable) }
        func taken() async throws -> [String] {
            try await bench.notifier(of: ["posts", "others"]).notify()
            return try bench.taken()
        }
        try await bench.run(.failed, error: "403")
        #expect(try await taken() == ["failed posts"])
        // Another resource, and one that fails and works in turn.
        try await bench.run(.failed, of: "others", error: "403")
        for _ in 1...3 {
            for outcome in [RunOutcome.saved, .failed] {
                try await bench.run(outcome, error: outcome == .failed ? "403" : nil)
                #expect(try await taken() == [])
            }
        }
        #expect(bench.reported.count == 1)
        bench.time.advance(by: .seconds(60))
        #expect(try await taken().count == 1)
        #expect(bench.reported.last?.hasSuffix("it is called again after 2 min") == true, "\(bench.reported)")
        bench.time.advance(by: .seconds(120))
        bench.receiver.answer.withLock { $0 = .status(.ok) }
        #expect(Set(try await taken()) == ["failed posts", "failed others"])
        // It took one, so a later failure is the first again.
        bench.receiver.answer.withLock { $0 = .status(.serviceUnavailable) }
        try await bench.run(.saved)
        #expect(try await taken() == ["recovered failed posts"])
        #expect(bench.reported.last?.hasSuffix("it is called again after 60 s") == true, "\(bench.reported)")
    }

    @Test func `a hook that awaits no end is left alone as well where a condition comes and goes`() async throws {
        let bench = try await NotifyBench()
        bench.receiver.answer.withLock { $0 = .status(.serviceUnavailable) }
        var hook = NotifyBench.hook()
        hook.events = [.failed]
        for _ in 1...4 {
            try await bench.run(.failed, error: "403")
            try await bench.notifier([hook]).notify()
            try await bench.run(.saved)
            try await bench.notifier([hook]).notify()
        }
        #expect(try bench.taken() == ["failed posts"])
        bench.time.advance(by: .seconds(60))
        try await bench.notifier([hook]).notify()
        #expect(try await bench.store.incidents() == [])
    }

    @Test func `of many incidents at once a hook that is down is called about one`() async throws {
        let bench = try await NotifyBench()
        bench.receiver.answer.withLock { $0 = .status(.serviceUnavailable) }
        let names = (1...50).map { "resource\($0)" }
        for name in names { try await bench.run(.failed, of: name, error: "403") }
        for _ in 1...3 { try await bench.notifier(of: names).notify() }
        #expect(try bench.taken().count == 1)
        #expect(bench.reported.count == 1)
        bench.time.advance(by: .seconds(60))
        bench.receiver.answer.withLock { $0 = .status(.ok) }
        try await bench.notifier(of: names).notify()
        #expect(bench.receiver.take().count == 21)
    }

    @Test func `an incident that began and ended while a hook was down is notified as recovered`() async throws {
        let bench = try await NotifyBench()
        bench.receiver.answer.withLock { $0 = .status(.serviceUnavailable) }
        try await bench.run(.failed, error: "403")
        try await bench.notifier().notify()
        try await bench.run(.saved)
        try await bench.notifier().notify()
        _ = try bench.taken()
        #expect(try await bench.store.incidents().count == 1)
        bench.receiver.answer.withLock { $0 = .status(.ok) }
        bench.time.advance(by: .seconds(60))
        try await bench.notifier().notify()
        #expect(try bench.taken() == ["recovered failed posts"])
        #expect(try await bench.store.incidents() == [])
    }
}

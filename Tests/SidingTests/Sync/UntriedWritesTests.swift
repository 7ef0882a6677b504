// SPDX-License-Identifier: Apache-2.0
import Logging
import SidingChain
import SidingTesting
import TestSupport
import Testing

@testable import Siding

/// A write that ends without a try is told by a service as one that ends by a try.
@Suite(.timeLimit(.minutes(5))) struct UntriedWritesTests {
    @Test func `the log and the events of a service have a write that expired without a try, once`() async throws {
        let time = ManualWallClock()
        let source = try RunningService.source()
        let service = try await RunningService(
            ScriptedOrigin(), resources: [], sources: [source], time: time, isOnline: false, logging: .warning
        ) { siding in
            _ = try await siding.send(RunningService.write("/a").with(\.expiry, .seconds(60)))
        }
        var events = service.siding.events.makeAsyncIterator()
        await service.passes()
        time.advance(by: .seconds(120))
        func told() -> [RecordedLog.Line] { service.log.lines.filter { $0.message == "a write is parked" } }
        try await service.runs { !told().isEmpty }
        for _ in 0..<3 { await service.passes() }
        #expect(told().count == 1)
        // The line has the error of the last try, where there was one before the line was found to be down.
        let parked = try await service.store.entries(QueueSelection(states: [.parked]))
        #expect(parked.map(\.reason) == [.expired])
        var states: [QueueEntry.State] = []
        while states.last != .parked, let event = await events.next() {
            if case .entryChanged(let entry) = event { states.append(entry.state) }
        }
        #expect(states == [.parked])
        service.stop()
        try await service.ended()
    }
}

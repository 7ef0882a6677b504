// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing
import TestSupport

/// How `siding serve` ends, and what its service manager hears of it.
///
/// Status 0 says that it ended in time: ten seconds after the signal its own alarm ends it with 142.
@Suite(.serialized)
struct ServeStopTests {
    /// Signals at so many instants.
    private static let instants = Proof.choose(short: 6, middle: 12, long: 200)

    @Test(arguments: [SIGTERM, SIGINT])
    func `a write that may not be sent twice is answered although the service is stopped`(signal: Int32) async throws {
        let (service, sandbox) = try await Self.withStoredWrite()
        let manager = Promise<ServiceManager>()
        let arrived = Latch()
        service.listen { _, request in
            guard request.method == "POST" else { return nil }
            arrived.open()
            // The answer comes while it stops.
            try? await manager.value().hears("STOPPING=1")
            return .json("{}", status: .created)
        }
        let ended = try await sandbox.serve(signal: signal) { serving in
            manager.fulfil(serving.manager)
            try await arrived.wait()
        }
        #expect(ended.status == 0, "\(ended.error)")
        let done = try await sandbox.siding("queue", "list", "--json", "--state", "done").objects()
        #expect(done.count == 1, "\(ended.error)")
        await service.origin.stop()
    }

    /// A write is stored that nobody has sent yet.
    private static func withStoredWrite() async throws -> (service: Service, sandbox: Sandbox) {
        let service = try await Service.start(items: 1)
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("send", "POST", "shop:/orders", "-d", "{}", "--no-send").status == 0)
        return (service, sandbox)
    }

    /// Answers no write until `isOver` opens.
    private static func holdWrites(of service: Service) -> (arrived: Latch, isOver: Latch) {
        let (arrived, isOver) = (Latch(), Latch())
        service.listen { _, request in
            guard request.method == "POST" else { return nil }
            arrived.open()
            try? await isOver.wait()
            return nil
        }
        return (arrived, isOver)
    }

    @Test(.enabled(if: Proof.length != .short, "the whole time for stopping passes"))
    func `a write that gets no answer is uncertain, and the service ends in time`() async throws {
        let (service, sandbox) = try await Self.withStoredWrite()
        let (arrived, isOver) = Self.holdWrites(of: service)
        let ended = try await sandbox.serve { _ in try await arrived.wait() }
        isOver.open()
        #expect(ended.status == 0, "\(ended.error)")
        let entries = try await sandbox.siding("queue", "list", "--json").objects()
        #expect(entries.map { $0["reason"]?.string } == ["uncertain"])
        await service.origin.stop()
    }

    @Test func `a second signal ends it at once`() async throws {
        let (service, sandbox) = try await Self.withStoredWrite()
        let (arrived, isOver) = Self.holdWrites(of: service)
        let ended = try await sandbox.serve(signal: SIGINT) { serving in
            try await arrived.wait()
            serving.child.send(SIGINT)
            try await serving.manager.hears("STOPPING=1")
        }
        isOver.open()
        #expect(ended.status == 128 + SIGINT)
        await service.origin.stop()
    }

    @Test func `the service manager hears of the beginning, the watchdog, a new config and the end`() async throws {
        let service = try await Service.start(items: 1)
        let sandbox = try Sandbox.with(service)
        let lines = Mutex<[String]>([])
        let ended = try await sandbox.serve(
            environment: ["WATCHDOG_USEC": "400000"], signal: nil, address: "@siding-\(UUID().uuidString)"
        ) { serving in
            try await serving.manager.hears("WATCHDOG=1", times: 3)
            try await serving.reload()
            serving.child.send(SIGTERM)
            try await serving.manager.hears("STOPPING=1")
            lines.withLock { $0 = serving.manager.lines }
        }
        #expect(ended.status == 0, "\(ended.error)")
        let heard = lines.withLock { $0 }
        let status = "STATUS=1 resource of siding.yaml, in \(sandbox.file("test.db"))"
        let others = heard.filter { $0 != "WATCHDOG=1" && !$0.hasPrefix("MONOTONIC_USEC=") }
        #expect(others == ["READY=1", status, "RELOADING=1", "READY=1", status, "STOPPING=1", "STATUS=stopping"])
        let moment = try #require(heard.first { $0.hasPrefix("MONOTONIC_USEC=") }.flatMap { Int64($0.dropFirst(15)) })
        let now = Int64(nanoseconds(of: CLOCK_MONOTONIC) / 1_000)
        #expect(moment <= now && moment > now - 60_000_000)
        await service.origin.stop()
    }

    @Test func `a watchdog of another process hears nothing`() async throws {
        let service = try await Service.start(items: 1)
        let sandbox = try Sandbox.with(service)
        let lines = Mutex<[String]>([])
        let ended = try await sandbox.serve(environment: ["WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"]) { serving in
            for _ in 0..<20 { try await serving.reload() }
            lines.withLock { $0 = serving.manager.lines }
        }
        #expect(ended.status == 0)
        #expect(!lines.withLock { $0 }.contains("WATCHDOG=1"))
        await service.origin.stop()
    }

    @Test func `a client that does not read its answers does not hold up the end`() async throws {
        let service = try await Service.start(items: 1)
        // More than the buffers of both sockets hold.
        let title = String(repeating: "x", count: 5 << 20)
        service.listen { _, _ in .json(#"[{"id":1,"title":"\#(title)"}]"#) }
        let sandbox = try Sandbox.with(service, resource: "max_age: 1h")
        #expect(try await sandbox.siding("sync").status == 0)
        let port = try await Program.freePort()
        let ended = try await sandbox.serve("--listen", "127.0.0.1:\(port)", signal: nil) { serving in
            let request = #"GET /api/records/items/1 HTTP/1.1\r\nHost: localhost\r\n\r\n"#
            let process = serving.child.processID
            // The first answer is on its way once a byte of it is here.
            let client = """
                exec 3<>/dev/tcp/127.0.0.1/\(port)
                printf '\(String(repeating: request, count: 5))' >&3
                head -c 1 <&3 >/dev/null
                kill -TERM \(process)
                until [ ! -e /proc/\(process) ] || grep -q '^State:.Z' /proc/\(process)/status; do sleep 0.1; done
                """
            let read = try await sandbox.run("/bin/bash", ["-c", client])
            #expect(read.status == 0, "\(read.error)")
        }
        #expect(ended.status == 0, "\(ended.error)")
        await service.origin.stop()
    }

    @Test
    func `SIGTERM at random instants: serve ends in time with 0, claims nothing, and knows every answer`()
        async throws
    {
        let seed = Proof.seed ?? 20_261_126
        let generator = Mutex(SeededGenerator(seed: seed))
        let ledger = WriteLedger(seed: seed)
        let service = try await Service.start(items: 200, pageSize: 10, validators: [], routes: [ledger])
        // Each answer takes a moment, so that a signal meets some of them under way.
        service.listen { _, _ in
            let pause = generator.withLock { Int.random(in: 0...20, using: &$0) }
            try? await Task.sleep(for: .milliseconds(pause))
            return nil
        }
        let sandbox = try Sandbox.with(service, source: "http: { concurrency: 8 }", resource: "max_age: 1ms")
        for round in 1...Self.instants {
            try await sandbox.keepWrites(6, in: round)
            let early = generator.withLock { Int.random(in: 0...100, using: &$0) }
            let unready = try await sandbox.siding(["serve", "--listen", "none"]) { child in
                try await child.catches(SIGTERM)
                try await Task.sleep(for: .milliseconds(early))
                child.send(SIGTERM)
            }
            #expect(unready.status == 0, "seed \(seed), round \(round), \(early) ms after its start: \(unready.error)")
            let instant = generator.withLock { Int.random(in: 0...250, using: &$0) }
            let ended = try await sandbox.serve { _ in try await Task.sleep(for: .milliseconds(instant)) }
            let place = "seed \(seed), round \(round), after \(instant) ms"
            #expect(ended.status == 0, "\(place): \(ended.error)")
            let left = try await sandbox.siding("queue", "list", "--json").objects()
            let isClaimedOrLost = left.contains {
                $0["state"]?.string == "sending" || $0["reason"]?.string == "uncertain"
            }
            #expect(!isClaimedOrLost, "\(place): \(left)")
        }
        #expect(try await sandbox.siding("queue", "run").status == 0)
        let runs = try await sandbox.siding("runs", "list", "--json", "--limit", "100000").objects()
        #expect(runs.allSatisfy { $0["outcome"]?.string != nil })
        #expect(ledger.entries.effects.count == 6 * Self.instants)
        #expect(ledger.entries.arrivals.count >= ledger.entries.effects.count)
        #expect(ledger.entries.duplicates == 0 && ledger.entries.inversions() == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.file("test.db.owners")) == [])
        await service.origin.stop()
    }
}

extension Child {
    /// Waits until the process has a handler for `signal` (`SigCgt`, proc_pid_status(5)).
    fileprivate func catches(_ signal: Int32) async throws {
        while true {
            let status = try String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)
            let caught = status.firstMatch(of: /SigCgt:\s+([0-9a-f]+)/).flatMap { UInt64($0.1, radix: 16) } ?? 0
            if caught >> UInt64(signal - 1) & 1 == 1 { return }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}

private func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

extension Sandbox {
    /// Puts writes into the queue, each in a lane of its own; every second one may not be sent twice.
    fileprivate func keepWrites(_ count: Int, in round: Int) async throws {
        for number in 1...count {
            let method = number.isMultiple(of: 2) ? "POST" : "PUT"
            let lane = "w\(round)-\(number)"
            let sent = try await siding(
                "send", method, "shop:/lanes/\(lane)/1", "-d", "{}", "-H", "X-Write-Key: \(lane)", "--lane", lane,
                "--no-send")
            try #require(sent.status == 0, "\(sent.error)")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
import Siding

/// How long `siding send` takes until its entry is on the disk and its id is printed, where no route leads anywhere.
struct Accepting {
    let siding: String
    private static let runs = 20
    private static let bar = 30.0

    func measure() async throws -> Report {
        let place = try Workplace(origin: "http://10.99.0.2:8080")
        let send = [siding, "send", "POST", "van:/orders", "-d", "{}"] + place.options
        // Makes the database.
        guard try ChildProgram.run(send).status == 75 else {
            throw Unexpected(
                message: "'siding send' did not leave its entry in the queue: is there a route to 10.99.0.2?")
        }
        var report = Report("accepting a write, full durability, no route, minimum of \(Self.runs)")
        let few = try (0..<Self.runs).map { _ in try ChildProgram.run(send) }
        report.add("send: id printed", few.map(\.firstLine), .atMost(Self.bar), at: 0)
        report.add("send: to its end", few.map(\.end), at: 0)
        // The log that a new process reads again is then as long as it gets.
        let store = try await Store.open(at: place.database)
        let write = try Scale.write(number: 1, lanes: 1, bytes: 1 << 20)
        for _ in 0..<24 { _ = try await store.enqueue(write) }
        await store.close()
        let many = try (0..<Self.runs).map { _ in try ChildProgram.run(send) }
        report.add("send after 24 MB of others: id printed", many.map(\.firstLine), .atMost(Self.bar), at: 0)
        let help = try (0..<Self.runs).map { _ in try ChildProgram.run([siding, "--help"]) }
        report.add("of which the process itself (--help)", help.map(\.end), at: 0)
        return report
    }
}

struct Unexpected: Error {
    let message: String
}

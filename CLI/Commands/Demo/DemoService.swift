// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingOrigin
import UnixSignals

/// `siding demo --serve`: the origin of the tour with `siding serve` beside it, to play with until they are interrupted.
struct DemoService {
    let shell: DemoShell
    let origin: DemoOrigin
    /// Where the page listens, as `siding serve --listen` takes it.
    let listen: String

    func run() async throws {
        // First of all: the signal ends a process that does not trap it.
        let signals = await UnixSignalsSequence(trapping: .sigusr1)
        shell.say(
            """
            A weather service listens on \(origin.line.url.origin) and gets a new reading every ten seconds.
            The config \(shell.config) names it:
            """)
        try shell.configure(origin.line.url, isServed: true)
        shell.say(suggestions)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await turnLine(at: signals) }
            group.addTask { await addReadings() }
            group.addTask {
                let status = try await shell.run(["serve", "--config", shell.config, "--listen", listen])
                if status != .success { throw status }
            }
            // Only the service ends by itself.
            try await group.next()
            group.cancelAll()
        }
    }

    private var suggestions: String {
        """
        The page: \(listen.hasPrefix("unix:") ? listen : "http://\(listen)/")

        To try in another terminal:
            export SIDING_CONFIG=\(shell.config)
            siding status
            siding search stations harbour
            siding query "SELECT * FROM readings ORDER BY id DESC LIMIT 5"
            kill -USR1 \(ProcessInfo.processInfo.processIdentifier)      # cuts the line to the weather service; again, and it is back
            siding send readings.create -d '{"station_id":7,"temperature_c":19.5}'
            siding queue list
        Ctrl-C ends the service and its origin; the files stay.
        """
    }

    /// Cuts the line at a signal, and restores it at the next.
    private func turnLine(at signals: UnixSignalsSequence) async {
        var isUp = true
        for await _ in signals {
            isUp.toggle()
            await origin.line.set(isUp ? .up() : .down(.cut))
            shell.say("The line to the weather service is \(isUp ? "back" : "cut").")
        }
    }

    private func addReadings() async {
        var id = 3_001
        while (try? await Task.sleep(for: .seconds(10))) != nil {
            origin.addReading(id)
            id += 1
        }
    }
}

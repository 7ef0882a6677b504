// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingOrigin
import SidingSynchronization

/// The origin of the demo: a small weather service on loopback, behind a line that can be cut.
struct DemoOrigin {
    let data: DemoData
    let origin: Origin
    /// Where the config finds it.
    let line: Relay
    private let losesAnswer: LostAnswer

    /// The next answer to a POST that gets lost.
    private final class LostAnswer: Sendable {
        private let isNext = Mutex(false)

        func arm() { isNext.withLock { $0 = true } }

        func take() -> Bool {
            isNext.withLock { isNext in
                defer { isNext = false }
                return isNext
            }
        }
    }

    /// - Parameter port: where the config finds it; 0 for a free one.
    /// - Throws: ``CommandError`` if another process has the port.
    static func start(port: Int) async throws -> DemoOrigin {
        let data = DemoData()
        let losesAnswer = LostAnswer()
        let origin = try await Origin.start { request in
            for route in data.routes {
                guard var answer = await route.answer(request) else { continue }
                if request.method == "POST", losesAnswer.take() { answer.fault = .closeBeforeHead }
                return answer
            }
            return .notFound
        }
        do {
            let line = try await Relay.start(to: origin.url, port: port)
            return DemoOrigin(data: data, origin: origin, line: line, losesAnswer: losesAnswer)
        } catch {
            throw CommandError(
                .inputOutput, "listen", "cannot listen on 127.0.0.1:\(port): \(error)",
                hint: "perhaps another demo does; --port chooses another port")
        }
    }

    func stop() async {
        await line.stop()
        await origin.stop()
    }

    // MARK: What happens at the origin

    /// The origin corrects the temperature of reading 3000.
    func correctReading() {
        guard var reading = data.readings["3000"] else { return }
        reading.json = reading.json.replacing(/"temperature_c":[-.0-9]+/, with: #""temperature_c":18.5"#)
        data.readings.put(reading)
    }

    func addReading(_ id: Int = 3_001) {
        put(String(id), #"{"id":\#(id),"station_id":7,"read_at":"2024-05-03T02:00:00Z","temperature_c":21.5}"#)
    }

    private func put(_ key: String, _ json: String) {
        data.readings.put(Dataset.Record(key: key, json: json))
    }

    /// The readings that came by POST.
    var received: [Dataset.Record] { data.readings.records.filter { (Int($0.key) ?? 0) >= 1_000_000 } }

    // MARK: The line

    /// Lets 1,000 bytes of answers pass, and then nothing more.
    func cutSoon() async {
        await line.follow([
            LineStage(.up(), for: .bytes(1_000)), LineStage(.down(.cut), for: .time(.seconds(86_400))),
        ])
    }

    /// Brings the line back; the origin gets the next write, and its answer is lost.
    func restore() async {
        losesAnswer.arm()
        origin.forgetRequests()
        await line.set(.up())
    }
}

// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingOrigin
import SidingSynchronization

/// An origin behind a bad line that takes writes to lanes, acts once per key, and remembers what it did.
///
/// A write is `POST` or `PUT /lanes/<lane>/<number>`; its key stands in `Idempotency-Key`, or in `X-Write-Key` where the
/// client sends none for the method.
final class WriteLedger: OriginRoute {
    /// What a write meant to do, once.
    struct Effect: Hashable {
        let lane: String
        let number: Int
    }

    /// How often what happens to a request; the rest is answered as it should be.
    struct Weather: Sendable {
        /// The connection ends, and nothing was done.
        var lostBefore = 0.0
        /// The connection ends, and it was done.
        var lostAfter = 0.0
        /// 503 with `Retry-After: 0`, and nothing was done.
        var unavailable = 0.0

        static let fair = Weather()
        static let bad = Weather(lostBefore: 0.10, lostAfter: 0.15, unavailable: 0.05)
    }

    struct Page: Sendable {
        var weather: Weather
        var generator: SeededGenerator
        /// The keys as they came, each arrival.
        var arrivals: [String] = []
        /// The keys that were acted upon.
        var known: Set<String> = []
        /// What was done, in order; twice the same is what must not be.
        var effects: [Effect] = []
        /// Keys that came again although they had arrived before, and were not turned away with 503 then.
        var repeated: [String] = []
        fileprivate var heard: Set<String> = []
        var faults = 0
    }

    private let page: Mutex<Page>
    static let keyField = HTTPField.Name("X-Write-Key")!

    init(_ weather: Weather = .fair, seed: UInt64) {
        page = Mutex(Page(weather: weather, generator: SeededGenerator(seed: seed)))
    }

    /// What stands there now.
    var entries: Page { page.withLock { $0 } }

    func turn(_ weather: Weather) { page.withLock { $0.weather = weather } }

    func answer(_ request: OriginRequest) async -> OriginResponse? {
        let parts = request.path.split(separator: "/")
        guard ["POST", "PUT"].contains(request.method), parts.count == 3, parts[0] == "lanes",
            let number = Int(parts[2])
        else { return nil }
        let given = request.headerFields[.idempotencyKey] ?? request.headerFields[Self.keyField]
        let effect = Effect(lane: String(parts[1]), number: number)
        return page.withLock { page in page.take(effect, under: given ?? "none \(request.order)") }
    }
}

extension WriteLedger.Page {
    fileprivate mutating func take(_ effect: WriteLedger.Effect, under key: String) -> OriginResponse {
        arrivals.append(key)
        let chance = Double.random(in: 0..<1, using: &generator)
        let isLostBefore = chance < weather.lostBefore
        let isUnavailable = !isLostBefore && chance < weather.lostBefore + weather.unavailable
        let isLostAfter =
            !isLostBefore && !isUnavailable
            && chance < weather.lostBefore + weather.unavailable + weather.lostAfter
        if isLostBefore || isUnavailable || isLostAfter { faults += 1 }
        if heard.contains(key) { repeated.append(key) }
        if !isUnavailable { heard.insert(key) }
        if !isLostBefore, !isUnavailable, known.insert(key).inserted { effects.append(effect) }
        var answer = OriginResponse.json("{}", status: isUnavailable ? .serviceUnavailable : .created)
        if isUnavailable { answer.headerFields[.retryAfter] = "0" }
        if isLostBefore || isLostAfter {
            answer.fault = Bool.random(using: &generator) ? .closeBeforeHead : .resetBeforeHead
        }
        return answer
    }

    /// Effects beyond the first of each write.
    var duplicates: Int { effects.count - Set(effects).count }

    /// Effects that came after a later one of their lane.
    ///
    /// - Parameter free: a path whose writes have lanes of their own, and no order.
    func inversions(but free: String? = nil) -> Int {
        var last: [String: Int] = [:]
        return effects.filter { $0.lane != free }.count { effect in
            defer { last[effect.lane] = max(last[effect.lane] ?? 0, effect.number) }
            return effect.number < last[effect.lane] ?? 0
        }
    }
}

extension HTTPField.Name {
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
}

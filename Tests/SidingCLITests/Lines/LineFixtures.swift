// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingOrigin

/// Up and down stages by time, without end, drawn from a seed.
struct TimedStages: Sequence, IteratorProtocol, Sendable {
    private var generator: SeededGenerator
    private let ups: ClosedRange<Duration>
    private let downs: ClosedRange<Duration>
    private let quality: LineQuality
    private var isUp = false

    init(seed: UInt64, up ups: ClosedRange<Duration>, down downs: ClosedRange<Duration>, quality: LineQuality) {
        generator = SeededGenerator(seed: seed)
        (self.ups, self.downs, self.quality) = (ups, downs, quality)
    }

    mutating func next() -> LineStage? {
        isUp.toggle()
        guard !isUp else { return LineStage(.up(quality), for: .time(random(ups))) }
        let outage = LineState.Outage.allCases.randomElement(using: &generator) ?? .cut
        return LineStage(.down(outage), for: .time(random(downs)))
    }

    private mutating func random(_ range: ClosedRange<Duration>) -> Duration {
        range.lowerBound + (range.upperBound - range.lowerBound) * Double.random(in: 0...1, using: &generator)
    }
}

extension LineStage {
    var isUp: Bool { state.isUp }
}

extension LineState {
    var isUp: Bool { if case .up = self { true } else { false } }
}

extension Sequence<RelayEvent> {
    /// The time from the first state of the line to the last one, and for how much of it the line was up.
    var lineTime: (whole: Duration, up: Duration) {
        let states = compactMap { event -> (at: Duration, isUp: Bool)? in
            if case .state(let state) = event.kind { (event.at, state.isUp) } else { nil }
        }
        var time = (whole: Duration.zero, up: Duration.zero)
        for (state, next) in zip(states, states.dropFirst()) {
            time.whole += next.at - state.at
            if state.isUp { time.up += next.at - state.at }
        }
        return time
    }
}

extension Dataset {
    /// `count` records with the ids from 1, of about `size` bytes each.
    static func filled(_ count: Int, size: Int) -> Dataset {
        let filler = String(repeating: "x", count: size - 40)
        return Dataset((1...count).map { Record(key: "\($0)", json: #"{"id":\#($0),"text":"\#(filler)"}"#) })
    }
}

extension Sandbox {
    /// Deletes the database `test.db`.
    func forgetDatabase() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where name.hasPrefix("test.db") {
            try FileManager.default.removeItem(atPath: file(name))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
/// What a ``Relay`` does with the connections through it.
public enum LineState: Sendable, Hashable {
    /// Bytes pass, as fast as the line allows.
    case up(LineQuality = LineQuality())
    /// No bytes pass; the outage says what happens to connections.
    case down(Outage)

    /// The ways in which a line fails.
    ///
    /// | outage | open connections | new connections |
    /// |---|---|---|
    /// | `cut` | end in both directions (FIN) | refused |
    /// | `reset` | reset (RST) | refused |
    /// | `halfClose` | the answer's direction ends; what the client sends still passes | refused |
    /// | `blackhole` | silent, go on when the line is up again | accepted, and silent until then |
    /// | `drop` | silent for ever | refused |
    public enum Outage: String, Sendable, Hashable, CaseIterable {
        /// Connections end in both directions (FIN).
        case cut
        /// Connections are reset (RST).
        case reset
        /// The direction to the client ends (FIN); what the client sends still passes.
        case halfClose
        /// Connections are silent until the line is up again, and new ones are accepted.
        case blackhole
        /// Connections are silent for ever.
        case drop
    }
}

/// How fast a line is; the same in both directions, and shared by all connections.
public struct LineQuality: Sendable, Hashable {
    /// The time that each piece takes from one end to the other. Others follow meanwhile, up to 1 MiB per connection and
    /// direction.
    public var latency: Duration
    /// Nil, the default, for no limit.
    public var bytesPerSecond: Int?

    /// Without a delay and a limit by default.
    public init(latency: Duration = .zero, bytesPerSecond: Int? = nil) {
        (self.latency, self.bytesPerSecond) = (latency, bytesPerSecond)
    }
}

/// A state of a line and how long it lasts.
public struct LineStage: Sendable, Hashable {
    /// When a stage ends.
    public enum Span: Sendable, Hashable {
        /// After this time.
        case time(Duration)
        /// Once so many bytes have passed towards the client.
        case bytes(Int)
    }

    /// What the line does meanwhile.
    public var state: LineState
    /// When the stage ends.
    public var span: Span

    /// A stage such as `LineStage(.down(.cut), for: .time(.seconds(2)))`.
    public init(_ state: LineState, for span: Span) {
        (self.state, self.span) = (state, span)
    }
}

/// Up and down stages without end, drawn from a seed: the same seed gives the same stages on every machine.
public struct LineSchedule: Sequence, IteratorProtocol, Sendable {
    private var generator: SeededGenerator
    private let bytes: ClosedRange<Int>
    private let pauses: ClosedRange<Duration>
    private let outages: [LineState.Outage]
    private let quality: LineQuality
    private var isUp = false

    /// - Parameters:
    ///   - bytes: how many bytes pass towards the client in a stage in which the line is up.
    ///   - pauses: how long it is down.
    ///   - outages: the ways in which it fails; not empty.
    public init(
        seed: UInt64, up bytes: ClosedRange<Int>, down pauses: ClosedRange<Duration>,
        outages: [LineState.Outage] = LineState.Outage.allCases, quality: LineQuality = LineQuality()
    ) {
        generator = SeededGenerator(seed: seed)
        (self.bytes, self.pauses, self.outages, self.quality) = (bytes, pauses, outages, quality)
    }

    public mutating func next() -> LineStage? {
        isUp.toggle()
        guard !isUp else {
            return LineStage(.up(quality), for: .bytes(Int.random(in: bytes, using: &generator)))
        }
        let (least, most) = (pauses.lowerBound, pauses.upperBound)
        let pause = least + (most - least) * Double.random(in: 0...1, using: &generator)
        return LineStage(.down(outages.randomElement(using: &generator) ?? .cut), for: .time(pause))
    }
}

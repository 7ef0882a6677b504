/// How many requests in which time: `30/m`, `300/15m`.
public struct RequestRate: Sendable, Hashable, CustomStringConvertible {
    /// The most of any rate; what is more limits nothing.
    public static let most = 1_000_000
    /// The longest window, 31 days.
    public static let longestWindow = Duration.seconds(31 * 86_400)

    public let count: Int
    /// Any span of this length, wherever it begins, has at most ``count`` requests. Whole seconds.
    public let window: Duration

    /// Nil where `count` is not between 1 and ``most``, or `window` not between a second and ``longestWindow``.
    public init?(_ count: Int, per window: Duration) {
        guard (1...Self.most).contains(count), window >= .seconds(1), window <= Self.longestWindow else { return nil }
        self.count = count
        self.window = .seconds(window.components.seconds)
    }

    /// A number, a slash, and `s`, `m`, `h` or `d`, before which a number may stand; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let unit = parts[1].last.flatMap({ Self.units[$0] }), let count = Self.number(parts[0]),
            let times = parts[1].count == 1 ? 1 : Self.number(parts[1].dropLast())
        else { return nil }
        self.init(count, per: .seconds(times * unit))
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.count <= 9 && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            ? Int(text) : nil
    }

    private static let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]

    /// As it is written in a config, in the largest unit that has no rest.
    public var description: String {
        let seconds = Int(window.components.seconds)
        let unit = Self.units.filter { seconds % $0.value == 0 }.max { $0.value < $1.value } ?? (key: "s", value: 1)
        let times = seconds / unit.value
        return "\(count)/\(times == 1 ? "" : "\(times)")\(unit.key)"
    }
}

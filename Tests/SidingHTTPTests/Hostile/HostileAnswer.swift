// SPDX-License-Identifier: Apache-2.0
@testable import SidingOrigin

/// An answer as bytes: orderly, damaged, or something that nobody would send in good faith. The same for a seed each time.
struct HostileAnswer: Sendable {
    /// What happens to the connection behind the last byte.
    enum Ending: CaseIterable, Sendable {
        case closed, halfClosed, reset, left
    }

    private(set) var bytes: [UInt8] = []
    private(set) var ending = Ending.closed
    /// Where the bytes are cut into writes.
    private(set) var cuts: [Int] = []

    /// Whether a client may read a second final answer behind the first. Damage may double a head or turn an interim answer
    /// into a final one, so every second beginning counts.
    var mayHoldTwoAnswers: Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.split(separator: "HTTP/", omittingEmptySubsequences: false).count > 2
    }

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        self.init(&generator)
    }

    private init(_ generator: inout SeededGenerator) {
        for _ in 0..<Self.pick([0, 0, 0, 0, 0, 0, 1, 2, 19, 20, 21, 300], &generator) {
            bytes += Array("HTTP/1.1 \(Self.pick([100, 102, 103, 199], &generator)) So far\r\nX-A: b\r\n\r\n".utf8)
        }
        for _ in 0..<Self.pick([1, 1, 1, 1, 1, 1, 1, 2], &generator) { bytes += Self.answer(&generator) }
        if Int.random(in: 0..<3, using: &generator) == 0 { damage(&generator) }
        cuts = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
            Int.random(in: 0...bytes.count, using: &generator)
        }.sorted()
        // What is left open costs the time until the client gives up.
        ending =
            Int.random(in: 0..<12, using: &generator) == 0
            ? .left : Self.pick([.closed, .halfClosed, .reset], &generator)
        // Where the connection stayed open, all later answers of an origin that answers twice would be one too late.
        if ending == .left, mayHoldTwoAnswers { ending = .closed }
    }

    private static func pick<Value>(_ values: [Value], _ generator: inout SeededGenerator) -> Value {
        values[Int.random(in: 0..<values.count, using: &generator)]
    }

    // MARK: One answer

    private static func answer(_ generator: inout SeededGenerator) -> [UInt8] {
        let body = Array(pick(["", "{}", #"{"a":1}"#, String(repeating: "x", count: 70_000)], &generator).utf8)
        let line = pick(lineEnds, &generator)
        var head = "\(pick(versions, &generator)) \(pick(statuses, &generator))\(pick(phrases, &generator))\(line)"
        let (framing, framed) = framed(body, &generator)
        var fields = framing
        for _ in 0..<pick([0, 0, 1, 2, 3], &generator) { fields.append(pick(oddFields, &generator)) }
        if Int.random(in: 0..<24, using: &generator) == 0 {
            fields += (0..<pick([150, 250, 5_000], &generator)).map { "X-\($0): y" }
        }
        if Int.random(in: 0..<24, using: &generator) == 0 {
            fields.append(
                "X-Long: \(String(repeating: "z", count: pick([8_000, 66_000, 90_000, 2_000_000], &generator)))")
        }
        fields.shuffle(using: &generator)
        head += fields.map { "\($0)\(line)" }.joined()
        return Array("\(head)\(line)".utf8) + framed
    }

    private static let lineEnds = ["\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\n", "\r", "\r\r\n"]
    private static let versions =
        Array(repeating: "HTTP/1.1", count: 12) + [
            "HTTP/1.0", "HTTP/2.0", "HTTP/1.9", "HTTP/0.9", "http/1.1", "", "ICY",
        ]
    private static let statuses =
        Array(repeating: "200", count: 12) + [
            "000", "001", "042", "099", "100", "101", "102", "103", "199", "201", "204", "205", "206", "299", "301",
            "304",
            "400", "401", "404", "407", "418", "500", "503", "599", "600", "777", "999", "1000", "99999999999", "-1",
            "2x",
            "", "20", "٣٠٤",
        ]
    private static let phrases = [
        " OK", " OK", " OK", "", " ", " \u{1b}[2J", " \(String(repeating: "o", count: 70_000))",
    ]
    private static let oddFields = [
        "Connection: close", "Connection: keep-alive", "Connection: upgrade", "Upgrade: h2c", "Upgrade: websocket",
        "Keep-Alive: timeout=0", "Content-Type: application/json", "Location: /", "Location: http://[", "Location:",
        "no colon", ": no name", "Space : before", "Nul: \u{0}", "Umlaut: ü", "X: \u{1}\u{2}", " folded: line",
        "\tfolded",
        "Trailer: X-End", "TE: trailers", "Proxy-Authenticate: Basic", "WWW-Authenticate: Digest", "Retry-After: -1",
        "Date: never", "ETag: \"", "Set-Cookie: a=b", "Content-Encoding: identity", "Content-Encoding: br",
        "Content-Encoding: gzip, gzip", "Content-Encoding: gzip;q=1", "Content-Range: bytes 0-0/*",
        "Age: 99999999999999",
    ]

    // MARK: The length of the body

    private static func framed(
        _ body: [UInt8], _ generator: inout SeededGenerator
    ) -> (fields: [String], bytes: [UInt8]) {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<4: return (["Content-Length: \(body.count)"], body)
        case 4: return ([pick(lengths(body.count), &generator)], body)
        case 5: return ([], body)
        case 6:
            return (
                pick([["\(body.count)", "\(body.count)"], ["1", "2"]], &generator).map { "Content-Length: \($0)" }, body
            )
        case 7: return compressed(body, &generator)
        default:
            let coding = pick(
                ["chunked", "chunked", "chunked", "Chunked", "chunked, chunked", "gzip, chunked", "identity"],
                &generator)
            let length = pick([[], [], [], ["Content-Length: 3"]], &generator)
            return (["Transfer-Encoding: \(coding)"] + length, chunked(body, &generator))
        }
    }

    private static func lengths(_ count: Int) -> [String] {
        [
            "\(count + 5)", "\(max(count - 1, 0))", "-1", "+2", "2x", "0x2", " ", "", "\(count), \(count)", "1e3",
            "99999999999999999999", "9223372036854775807", "18446744073709551616", "0000000000000000000002",
        ].map { "Content-Length: \($0)" }
    }

    private static func compressed(
        _ body: [UInt8], _ generator: inout SeededGenerator
    ) -> (fields: [String], bytes: [UInt8]) {
        var bytes = Gzip.compressed(body)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes.removeLast(min(bytes.count, 6))
        case 1 where !bytes.isEmpty: bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^= 0x55
        default: break
        }
        return (
            ["Content-Encoding: \(pick(["gzip", "deflate", "x-gzip"], &generator))", "Content-Length: \(bytes.count)"],
            bytes
        )
    }

    private static func chunked(_ body: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = body[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(Int.random(in: 1...max(rest.count, 1), using: &generator))
            rest = rest.dropFirst(chunk.count)
            bytes += Array(
                "\(String(chunk.count, radix: 16))\(pick(["", "", ";a=b", ";\(String(repeating: "e", count: 9_000))"], &generator))\r\n"
                    .utf8)
            bytes += chunk
            bytes += Array(pick(["\r\n", "\r\n", "\r\n", "\r\n", "\n", ""], &generator).utf8)
        }
        let end = pick(
            [
                "0\r\n\r\n", "0\r\n\r\n", "0\r\n\r\n", "0\r\nX-End: 1\r\n\r\n", "0\r\nContent-Length: 9\r\n\r\n", "",
                "-1\r\n\r\n", "ffffffffffffffffff\r\n", "7fffffffffffffff\r\n", "zz\r\n\r\n",
                "0\r\n\(String(repeating: "X-End: 1\r\n", count: 300))\r\n",
            ], &generator)
        return bytes + Array(end.utf8)
    }

    // MARK: Damage

    private mutating func damage(_ generator: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: 0..<min(bytes.count, 600), using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes.remove(at: place)
            case 1: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
            case 2: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            case 3: bytes.removeLast(bytes.count - place)
            default: bytes.insert(contentsOf: bytes[..<place], at: place)
            }
        }
    }
}

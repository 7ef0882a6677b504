// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingNodes
import Testing

@Suite struct QueryValueEncoderTests {
    struct Numbers: Encodable {
        var int = -7
        var small: Int8 = -128
        var large = UInt64(Int64.max)
        var tooLarge = UInt64.max
        var wide = Int128(1) << 100
        var wideUnsigned = UInt128(7)
        var double = 1.5
        var float: Float = 0.1
        var flag = true
    }

    @Test func `integers stay integers, and digits are never lost`() throws {
        #expect(
            try QueryValueEncoder().encode(Numbers()) == [
                "int": -7, "small": -128, "large": .int(.max), "tooLarge": "18446744073709551615",
                "wide": "1267650600228229401496703205376", "wideUnsigned": 7, "double": 1.5, "float": 0.1, "flag": true,
            ])
    }

    struct Values: Encodable {
        var date = Date(timeIntervalSince1970: 1_772_355_900)
        var data = Data([0xFB, 0xFF, 0x00])
        var url = URL(string: "http://a/b?c=d e")
        var decimal = Decimal(string: "12345678901234567890.1230")
        var id = UUID(uuidString: "6A0F5C2E-0000-4000-8000-000000000001")
        var when: Date? = Date(timeIntervalSince1970: 0.25)
    }

    @Test func `dates, data, URLs and decimals have one text each`() throws {
        #expect(
            try QueryValueEncoder().encode(Values()) == [
                "date": "2026-03-01T09:05:00Z", "data": "+/8A", "url": "http://a/b?c=d%20e",
                "decimal": "12345678901234567890.123", "id": "6A0F5C2E-0000-4000-8000-000000000001",
                "when": "1970-01-01T00:00:00.250Z",
            ])
    }

    @Test(
        arguments: [
            (-62_135_596_800, "0001-01-01T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
            (-0.001, "1969-12-31T23:59:59.999Z"), (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199.9996, "2024-02-29T23:59:59.999600Z"), (1_709_251_199.999_999_9, "2024-03-01T00:00:00Z"),
            (-86_400, "1969-12-31T00:00:00Z"),
        ] as [(Double, String)])
    func `dates are right to the microsecond over all years that can be written`(_ seconds: Double, _ text: String)
        throws
    {
        #expect(try QueryValueEncoder().encode([Date(timeIntervalSince1970: seconds)]) == [.string(text)])
    }

    @Test func `dates agree with the library's calendar`() throws {
        // From the year 1600: before 1582, the library counts in the Julian calendar, which RFC 3339 does not.
        for day in stride(from: -135_000, to: 2_900_000, by: 9_973) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 45_296)
            #expect(try QueryValueEncoder().encode(date) == .string(date.formatted(.iso8601)))
        }
    }

    struct Optionals: Encodable {
        var text: String?
        var number: Int?
        var wide: Int128?
        var list: [Int]?
        var flag: Bool? = false
        var items: [Int?] = [1, nil]
    }

    @Test func `nil is null, for the strategy to leave out or to send`() throws {
        #expect(
            try QueryValueEncoder().encode(Optionals())
                == ["text": nil, "number": nil, "wide": nil, "list": nil, "flag": false, "items": [1, nil]])
    }

    class Base: Encodable {
        let base = 1
    }
    final class Derived: Base {
        let own = [true]
        private enum Keys: String, CodingKey { case own, parent }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(own, forKey: .own)
            try super.encode(to: container.superEncoder())
            try super.encode(to: container.superEncoder(forKey: .parent))
            try super.encode(to: encoder)
        }
    }

    @Test func `super encoders write under their key, or into the same object`() throws {
        #expect(
            try QueryValueEncoder().encode(Derived())
                == ["own": [true], "super": ["base": 1], "parent": ["base": 1], "base": 1])
    }

    struct ByHand: Encodable {
        enum Keys: String, CodingKey { case a, b, c }
        func encode(to encoder: any Encoder) throws {
            var root = encoder.container(keyedBy: Keys.self)
            var first = root.nestedContainer(keyedBy: Keys.self, forKey: .a)
            try first.encode(1, forKey: .a)
            var again = root.nestedContainer(keyedBy: Keys.self, forKey: .a)
            try again.encodeNil(forKey: .b)
            try again.encode(Int128(5), forKey: .c)
            var list = root.nestedUnkeyedContainer(forKey: .b)
            try list.encode("x")
            try list.encodeNil()
            var inner = list.nestedUnkeyedContainer()
            try inner.encode(UInt128(2))
            var object = list.nestedContainer(keyedBy: Keys.self)
            try object.encode(3.5, forKey: .c)
            try Base().encode(to: list.superEncoder())
            #expect(list.count == 5)
            #expect(list.codingPath.map(\.stringValue) == ["b"])
            try root.encode(1, forKey: .c)
            try root.encode(2, forKey: .c)
        }
    }

    @Test func `nested containers are encoded as nested values`() throws {
        #expect(
            try QueryValueEncoder().encode(ByHand()) == [
                "a": ["a": 1, "b": nil, "c": 5], "b": ["x", nil, [2], ["c": 3.5], ["base": 1]], "c": 2,
            ])
    }

    enum Colour: String, Encodable { case red }
    struct Wrapper: Encodable {
        let colour: Colour
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(colour)
        }
    }
    struct Wide: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(Int128(1))
        }
    }
    struct WideUnsigned: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(UInt128(2))
        }
    }
    struct Silent: Encodable {
        func encode(to encoder: any Encoder) throws {}
    }

    @Test func `a single value stands for itself, at the root too`() throws {
        #expect(try QueryValueEncoder().encode(5) == 5)
        #expect(try QueryValueEncoder().encode(Int?.none) == nil)
        #expect(try QueryValueEncoder().encode("a") == "a")
        #expect(try QueryValueEncoder().encode(Wrapper(colour: .red)) == "red")
        #expect(try QueryValueEncoder().encode([["a": Wrapper(colour: .red)]]) == [["a": "red"]])
        #expect(try QueryValueEncoder().encode(Wide()) == 1)
        #expect(try QueryValueEncoder().encode(WideUnsigned()) == 2)
        #expect(try QueryValueEncoder().encode(Silent()) == [:])
        #expect(try QueryValueEncoder().encode([String]()) == [])
    }

    struct Order: Encodable {
        var lines: [Line]
        struct Line: Encodable {
            var price: Double = 1
            var due = Due(seconds: 0)
            var amount = Decimal(1)
            var odd: Odd?
        }
    }
    /// A date that can be shown in a test's name: the library traps when it describes one of its extremes.
    struct Due: Encodable {
        var seconds: Double
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(Date(timeIntervalSince1970: seconds))
        }
    }
    struct Odd: Encodable {
        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode("canary")
            var object = encoder.container(keyedBy: ByHand.Keys.self)
            try object.encode("canary", forKey: .a)
        }
    }

    /// No `Encodable` itself, since the test library would write it as JSON.
    struct Fault: Sendable, CustomTestStringConvertible {
        var line: Order.Line
        var words: String
        var testDescription: String { words }
    }

    @Test(arguments: [
        Fault(line: .init(price: .nan), words: "the number at 'lines[1].price' is not finite"),
        Fault(line: .init(price: -.infinity), words: "the number at 'lines[1].price' is not finite"),
        Fault(
            line: .init(due: Due(seconds: 1e300)),
            words: "the Date at 'lines[1].due' lies outside the years 1 to 9999"),
        Fault(
            line: .init(due: Due(seconds: .nan)),
            words: "the Date at 'lines[1].due' lies outside the years 1 to 9999"),
        Fault(line: .init(amount: .nan), words: "the Decimal at 'lines[1].amount' is not finite"),
        Fault(
            line: .init(odd: Odd()),
            words: "the value at 'lines[1].odd' wrote itself in two kinds of containers at once"),
    ])
    func `a value without a form is named by type and path`(_ fault: Fault) async {
        let failure = await failure { try QueryValueEncoder().encode(Order(lines: [Order.Line(), fault.line])) }
        #expect(failure?.reason == .invalidRequest)
        #expect(failure?.phase == .notSent)
        #expect(failure?.detail == "Order cannot be encoded: \(fault.words)")
    }

    struct Refusing: Encodable, Sendable {
        enum Own: Error { case refused }
        func encode(to encoder: any Encoder) throws { throw Own.refused }
    }

    @Test func `an error thrown by user code stays user code's`() async {
        let failure = await failure { try QueryValueEncoder().encode(["a": Refusing()]) }
        #expect(failure?.reason == .userCode)
        #expect(failure?.phase == .notSent)
    }
}

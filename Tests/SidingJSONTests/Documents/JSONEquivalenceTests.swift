// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

struct JSONEquivalenceTests {
    static let zeros = String(repeating: "0", count: 40)

    @Test(arguments: [
        ("1", "1.0"), ("1", "1e0"), ("1", "10e-1"), ("1", "0.1E+1"), ("1", "1.000e00"), ("0", "-0"), ("0", "0.0e99"),
        ("0", "-0e-99999999999999999999999"), ("120", "1.2e2"), ("-12.50", "-125e-1"), ("0.001", "1e-3"),
        ("1e400", "10e399"), ("123456789012345678901234567890", "123456789012345678901234567890.0"),
        ("1\(zeros)", "1e40"), ("0.\(zeros)1", "1e-41"),
        // Exponents beyond 64 bits, with carries and borrows.
        ("1e100000000000000000000", "10e99999999999999999999"), ("1e1000000000000000000", "10e999999999999999999"),
        ("1e-100000000000000000000", "0.1e-99999999999999999999"),
        ("100e-1000000000000000001", "1e-999999999999999999"), ("1e00000000000000000000000000005", "100000"),
        ("1e-00000000000000000000000000005", "0.00001"),
        ("0.1", "0.01e0000000000000000000001"), ("1", "1e0000000000000000000000"),
        ("1e99999999999999999999", "0.01e100000000000000000001"),
    ])
    func `numbers are equal by their exact value`(left: String, right: String) throws {
        #expect(try JSONDocument(left).isEquivalent(to: JSONDocument(right)))
        #expect(try JSONDocument(right).isEquivalent(to: JSONDocument(left)))
        #expect(try JSONDocument("[\(left)]").isEquivalent(to: JSONDocument("[ \(right) ]")))
    }

    @Test(arguments: [
        ("1", "-1"), ("1", "10"), ("1", "1e1"), ("9007199254740992", "9007199254740993"),
        ("0.1", "0.1000000000000000055511151231257827"), ("1e400", "1e401"), ("1e-400", "0"),
        ("12345678901234567890123", "12345678901234567890124"),
        ("1e100000000000000000000", "1e99999999999999999999"), ("1e100000000000000000000", "1e-100000000000000000000"),
        ("1e1000000000000000000", "1e-1000000000000000000"), ("11e1000000000000000000", "1e1000000000000000001"),
        ("1", #""1""#), ("0", "false"), ("null", "false"), ("[]", "{}"), ("null", "{}"),
        (#""é""#, "\"e\u{301}\""), (#""a""#, #""A""#), ("[1,2]", "[2,1]"), ("[1]", "[1,1]"), ("[]", "[[]]"),
        (#"{"a":1}"#, #"{"a":1,"b":null}"#), (#"{"a":1}"#, #"{"b":1}"#), (#"{"a":1,"b":2}"#, #"{"a":2,"b":1}"#),
        (#"["a",1]"#, #"{"a":1}"#), ("{\"é\":1}", "{\"e\u{301}\":1}"), (#"[[1],2]"#, "[[1,2]]"),
    ])
    func `values that differ in meaning are not equal`(left: String, right: String) throws {
        #expect(try !JSONDocument(left).isEquivalent(to: JSONDocument(right)))
        #expect(try !JSONDocument(right).isEquivalent(to: JSONDocument(left)))
    }

    @Test(arguments: [
        (#""\u0041\n\/\ud83c\udf89""#, #""A\u000a/🎉""#),
        (#"{"a":1,"b":[{"c":1,"d":2}]}"#, #"{"b":[{"d":2,"c":1.0}],"\u0061":1}"#),
        (" { } ", "{}"), ("[ 1 ,2]", "[1,2.0]"), ("null", " null "),
    ])
    func `escapes, order of members and space do not matter`(left: String, right: String) throws {
        #expect(try JSONDocument(left).isEquivalent(to: JSONDocument(right)))
    }

    @Test(arguments: 0..<8)
    func `documents are equal exactly where plain trees of them are`(seed: Int) throws {
        var random = SeededGenerator(state: UInt64(seed) &+ 500)
        var equal = 0
        for _ in 0..<300 {
            let memberSet = RandomShape.object(depth: 3, using: &random)
            let left = try memberSet.document(using: &random)
            let respelt = try memberSet.document(using: &random)
            let right = try memberSet.edited(using: &random).document(using: &random)
            #expect(left.isEquivalent(to: respelt))
            #expect(left.isEquivalent(to: right) == (Tree(left) == Tree(right)), "\(left) \(right)")
            if left.isEquivalent(to: right) { equal += 1 }
        }
        #expect((20..<280).contains(equal))
    }

    /// A number, digit by digit, and the same with the point moved and the exponent moved back.
    @Test func `moving the point and the exponent together changes no value`() throws {
        var random = SeededGenerator(state: 600)
        for _ in 0..<2000 {
            let digits = (0..<Int.random(in: 1...30, using: &random)).map { _ in
                "0123456789".randomElement(using: &random)!
            }
            let shift = Int.random(in: -40...40, using: &random)
            let exponent = Int.random(in: -1_000_000_000_000...1_000_000_000_000, using: &random)
            let plain = "1" + String(digits) + "e\(exponent)"
            let zeros = String(repeating: "0", count: abs(shift))
            let moved =
                shift >= 0
                ? "1" + String(digits) + zeros + "e\(exponent - shift)"
                : "0." + zeros + "1" + String(digits) + "e\(exponent - shift + 1 + digits.count)"
            #expect(try JSONDocument(plain).isEquivalent(to: JSONDocument(moved)), "\(plain) \(moved)")
            let other = "1" + String(digits) + "e\(exponent + 1)"
            #expect(try !JSONDocument(other).isEquivalent(to: JSONDocument(moved)), "\(other) \(moved)")
        }
    }
}

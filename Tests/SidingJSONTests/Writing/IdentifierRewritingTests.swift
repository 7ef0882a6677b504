import SidingJSON
import Testing

struct IdentifierRewritingTests {
    static func rewriting(_ real: String = "42", from temporary: String = "tmp-1") throws -> IdentifierRewriting {
        try IdentifierRewriting(from: temporary, to: JSONDocument(real))
    }

    @Test(arguments: [
        (#"{"id":"tmp-1"}"#, "42", #"{"id":42}"#),
        (#"{"id":"tmp-1"}"#, #""a\u0062""#, #"{"id":"a\u0062"}"#),
        (#"{"id":"tmp-1"}"#, "12345678901234567890123", #"{"id":12345678901234567890123}"#),
        (#"{ "a" : [ "tmp-1" , "x", {"b":"tmp-1"} ] , "n":1.0 }"#, "7", #"{ "a" : [ 7 , "x", {"b":7} ] , "n":1.0 }"#),
        (#""tmp-1""#, "42", "42"), (#"["tmp-1","tmp-1"]"#, #""r""#, #"["r","r"]"#),
        // However it is escaped.
        (#"["\u0074mp-1","tmp\u002d1","tmp\u002D1"]"#, "1", "[1,1,1]"),
        // Never a part, never a name, never another kind or case.
        (#"{"tmp-1":"tmp-12","a":"xtmp-1","b":" tmp-1","c":"TMP-1","d":"tmp-1\n"}"#, "42", nil),
        (#"{"tmp-1":{"tmp-1":"tmp-1"}}"#, "42", #"{"tmp-1":{"tmp-1":42}}"#),
        (#"{"\u0074mp-1":1.0, "b" : "\u00e9"}"#, "42", nil), ("42", "43", nil), ("[ ]", "1", nil),
    ])
    func `in a body the id is a whole string, and nothing else loses a byte`(
        body: String, real: String, result: String?
    ) throws {
        #expect(try Self.rewriting(real).replacing(in: JSONDocument(body)).text == result ?? body)
    }

    @Test(arguments: [
        ("é", "\"\\u00e9\"", true), ("é", "\"é\"", true), ("é", "\"e\u{301}\"", false),
        ("🎉", #""\ud83c\udf89""#, true), ("a/b", #""a\/b""#, true), ("\u{0}", #""\u0000""#, true),
        ("a", #""\u0061\u0061""#, false), ("12", "12", false), ("true", "true", false), ("null", "null", false),
    ])
    func `ids are compared by their decoded bytes`(temporary: String, body: String, isReplaced: Bool) throws {
        let result = try Self.rewriting("0", from: temporary).replacing(in: JSONDocument(body))
        #expect(result.text == (isReplaced ? "0" : body))
    }

    @Test func `a part of a larger document is rewritten as a document of its own`() throws {
        let part = try #require(JSONDocument(#"[ "tmp-1", {"a": "tmp-1"} ]"#).elements?[1])
        #expect(try Self.rewriting().replacing(in: part).text == #"{"a": 42}"#)
    }

    @Test(arguments: [
        ("", "1", IdentifierFault.emptyTemporary), ("t", "null", .notAnIdentifier(.null)),
        ("t", "true", .notAnIdentifier(.true)), ("t", "{}", .notAnIdentifier(.object)),
        ("t", #"["a"]"#, .notAnIdentifier(.array)), ("t", #""""#, .namesAnotherPath("")),
        ("t", #"".""#, .namesAnotherPath(".")), ("t", #""\u002e.""#, .namesAnotherPath("..")),
    ])
    func `what is no id is refused in words`(temporary: String, real: String, fault: IdentifierFault) {
        let thrown = #expect(throws: IdentifierFault.self) { try Self.rewriting(real, from: temporary) }
        #expect(thrown == fault)
        #expect(thrown?.description.isEmpty == false)
    }

    @Test(arguments: 0..<8)
    func `a rewritten document is that of plain trees, and rewriting again changes nothing`(seed: Int) throws {
        var random = SeededGenerator(state: UInt64(seed) &* 32_452_843)
        var changed = 0
        for _ in 0..<400 {
            let document = try JSONDocument.random(using: &random)
            let real = try JSONDocument(["42", #""real""#, #""tmp-1""#, "1.50"].randomElement(using: &random)!)
            let rewriting = try IdentifierRewriting(from: "tmp-1", to: real)
            let result = rewriting.replacing(in: document)
            let tree = Tree(document).replacing("tmp-1", with: Tree(real))
            #expect(Tree(result) == tree && result.isStrictlyValid, "\(document)")
            #expect(rewriting.replacing(in: result).isEquivalent(to: result))
            if real.string != "tmp-1" { #expect(rewriting.replacing(in: result) == result) }
            if tree == Tree(document), real.string != "tmp-1" { #expect(result == document) } else { changed += 1 }
            let absent = try IdentifierRewriting(from: "tmp-9", to: real)
            #expect(absent.replacing(in: document) == document)
        }
        #expect((20..<380).contains(changed))
    }
}

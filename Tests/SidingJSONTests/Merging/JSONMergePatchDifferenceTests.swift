// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

struct JSONMergePatchDifferenceTests {
    static func difference(_ old: String, _ new: String) throws -> String {
        try JSONMergePatch.difference(from: JSONDocument(old), to: JSONDocument(new)).document.text
    }

    @Test(arguments: [
        ("{}", "{}", "{}"),
        (#"{"a":1,"b":2}"#, #"{"b":2.0, "a":1e0}"#, "{}"),
        (#"{"a":1}"#, #"{"a":2.50}"#, #"{"a":2.50}"#),
        (#"{"a":1,"b":2}"#, #"{"b":2}"#, #"{"a":null}"#),
        (#"{"a":1}"#, #"{"a":1,"\u0062":[ null ]}"#, #"{"\u0062":[ null ]}"#),
        (#"{"o":{"x":1,"y":2},"p":{"q":{}}}"#, #"{"o":{"x":1,"z":3},"p":{ "q" : { } }}"#, #"{"o":{"y":null,"z":3}}"#),
        (#"{"o":{"x":1}}"#, #"{"o":{}}"#, #"{"o":{"x":null}}"#),
        (#"{"o":1}"#, #"{"o":{ "x" : {} }}"#, #"{"o":{ "x" : {} }}"#),
        (#"{"o":{"x":1}}"#, #"{"o":[{"x":1}]}"#, #"{"o":[{"x":1}]}"#),
        (#"{"l":[1,2]}"#, #"{"l":[1.0,2,3]}"#, #"{"l":[1.0,2,3]}"#),
        // Null in both is no change, and nothing has to say it.
        (#"{"n":null,"a":1}"#, #"{"n":null,"a":2}"#, #"{"a":2}"#),
        (#"{"o":{"n":null,"a":1}}"#, #"{"o":{"n":null,"a":2}}"#, #"{"o":{"a":2}}"#),
        (#"{"n":null}"#, "{}", #"{"n":null}"#),
        // Changes come in the order of the old document, what is new behind them.
        (#"{"z":1,"a":1,"m":1}"#, #"{"k":2,"m":2,"a":2}"#, #"{"z":null,"a":2,"m":2,"k":2}"#),
        // What is no object is replaced, even by itself: no patch leaves it as it is.
        (#"{"a":1}"#, "[1]", "[1]"), ("5", "5.0", "5.0"), ("{}", "null", "null"), ("[]", #"{"a":1}"#, #"{"a":1}"#),
    ])
    func `a patch has the differences`(old: String, new: String, patch: String) throws {
        #expect(try Self.difference(old, new) == patch)
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":null}"#, "$.a"), ("{}", #"{"a":null}"#, "$.a"), ("5", #"{"a":null}"#, "$.a"),
        (#"{"o":{}}"#, #"{"o":{"x y":null}}"#, #"$.o."x y""#),
        ("{}", #"{"o":{"k":[null],"l":{"m":null}}}"#, "$.o.l.m"),
        (#"{"o":[]}"#, #"{"o":{"a":{},"n":null}}"#, "$.o.n"),
    ])
    func `a member that becomes null cannot be expressed, and its place is reported`(
        old: String, new: String, path: String
    ) throws {
        let fault = #expect(throws: MergePatchFault.self) { try Self.difference(old, new) }
        #expect(fault == .nullMember(try JSONPath(parsing: path)))
        #expect(fault?.description.hasPrefix("\(path) becomes null") == true)
        #expect(fault?.description.hasSuffix("send the whole document instead") == true)
    }

    @Test(arguments: 0..<8)
    func `applied to the old document, the difference gives the new one`(seed: Int) throws {
        var random = SeededGenerator(state: UInt64(seed) &* 1_299_709)
        var made = 0
        for _ in 0..<500 {
            let memberSet = RandomShape.object(depth: 4, using: &random)
            let old = try memberSet.document(using: &random)
            let new =
                Int.random(in: 0..<5, using: &random) == 0
                ? try JSONDocument.random(using: &random)
                : try memberSet.edited(using: &random).document(using: &random)
            do throws(MergePatchFault) {
                let patch = try JSONMergePatch.difference(from: old, to: new)
                made += 1
                #expect(patch.document.isStrictlyValid)
                #expect(Tree(patch.applied(to: old)) == Tree(new), "\(old) \(new) \(patch)")
                if new.kind == .object {
                    #expect((patch.document == .emptyObject) == (Tree(old) == Tree(new)))
                }
            } catch {
                let value = { JSONMergePatchCombiningTests.value(at: error.path, in: $0) }
                #expect(value(new)?.isNull == true && value(old)?.isNull != true, "\(old) \(new) \(error)")
            }
        }
        #expect((100..<500).contains(made))
    }
}

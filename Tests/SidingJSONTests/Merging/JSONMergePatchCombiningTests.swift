// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

struct JSONMergePatchCombiningTests {
    static func patch(_ text: String) throws -> JSONMergePatch { JSONMergePatch(try JSONDocument(text)) }

    @Test(
        arguments: [
            (#"{"a":1}"#, #"{"b":2}"#, #"{"a":1,"b":2}"#),
            (#"{"a":1}"#, #"{"a":2.0}"#, #"{"a":2.0}"#),
            // Nulls of both stay: the target may have what they remove.
            (#"{"a":1}"#, #"{"a":null}"#, #"{"a":null}"#),
            (#"{"a":null}"#, #"{"b":null}"#, #"{"a":null,"b":null}"#),
            (#"{"a":null}"#, #"{"a":2}"#, #"{"a":2}"#),
            (#"{"o":{"x":null}}"#, #"{"o":{"y":null}}"#, #"{"o":{"x":null,"y":null}}"#),
            (#"{"o":{"x":1}}"#, #"{"o":null}"#, #"{"o":null}"#),
            (#"{"o":{"x":1}}"#, #"{"o":[null]}"#, #"{"o":[null]}"#),
            ("{}", #"{"o":{"x":{"y":null}}}"#, #"{"o":{"x":{"y":null}}}"#),
            // The second is no object: the first is without effect.
            (#"{"a":1}"#, "5", "5"), ("[1]", "null", "null"), ("5", "[2]", "[2]"),
            // Space, digits and escapes stay as they were in either.
            (#"{ "\u0061" : 1.0 , "b": [ 2 ] }"#, #"{"a":{}, "\u0063": 3e0}"#, nil),
            (
                #"{ "\u0061" : {} , "b": [ 2 ] }"#, #"{"a":{ "x" :1.0}, "\u0063": 3e0}"#,
                #"{ "\u0061" : {"x":1.0} , "b": [ 2 ],"\u0063":3e0 }"#
            ),
        ] as [(String, String, String?)])
    func `two patches become one`(first: String, second: String, combined: String?) throws {
        let patch = try? JSONMergePatch.combine(Self.patch(first), Self.patch(second))
        #expect(patch?.document.text == combined)
    }

    @Test(arguments: [
        ("5", "{}", "$"), ("null", #"{"a":1}"#, "$"), (#"{"a":5}"#, #"{"a":{}}"#, "$.a"),
        (#"{"a":null}"#, #"{"a":{"b":1}}"#, "$.a"), (#"{"a":[1]}"#, #"{"a":{"b":1}}"#, "$.a"),
        (#"{"z":1,"o":{"x y":{"k":"v"}}}"#, #"{"o":{"x y":{"k":{"l":null}}}}"#, #"$.o."x y".k"#),
    ])
    func `a change that no single patch expresses is refused, with its place`(
        first: String, second: String, path: String
    ) throws {
        let fault = #expect(throws: MergePatchFault.self) {
            try JSONMergePatch.combine(Self.patch(first), Self.patch(second))
        }
        #expect(fault == .replacedThenChanged(try JSONPath(parsing: path)))
        #expect(fault?.description.contains("at \(path) ") == true)
        #expect(fault?.description.contains("send both, one after the other") == true)
    }

    @Test func `the refused case has two targets that no single patch serves`() throws {
        let first = try Self.patch(#"{"a":null}"#)
        let second = try Self.patch(#"{"a":{"b":1}}"#)
        for target in [#"{"a":{"c":1}}"#, #"{"a":{"d":1}}"#] {
            let result = second.applied(to: first.applied(to: try JSONDocument(target)))
            #expect(result.text == #"{"a":{"b":1}}"#)
            // To remove all other members they would have to be known: with the target at hand, they are.
            let difference = try JSONMergePatch.difference(from: JSONDocument(target), to: result)
            #expect(difference.applied(to: try JSONDocument(target)).isEquivalent(to: result))
        }
    }

    @Test(arguments: 0..<8)
    func `a combined patch does what both do one after the other, to every target`(seed: Int) throws {
        var random = SeededGenerator(state: UInt64(seed) &* 104_729)
        var combined = 0
        for _ in 0..<500 {
            let target = try JSONDocument.random(using: &random)
            let first = JSONMergePatch(try JSONDocument.random(using: &random))
            let second = JSONMergePatch(try JSONDocument.random(using: &random))
            do throws(MergePatchFault) {
                let both = try JSONMergePatch.combine(first, second)
                combined += 1
                #expect(both.document.isStrictlyValid)
                let expected = second.applied(to: first.applied(to: target))
                #expect(both.applied(to: target).isEquivalent(to: expected), "\(first) \(second) \(target)")
                #expect(Tree(both.applied(to: target)) == Tree(expected))
            } catch {
                let replaced = Self.value(at: error.path, in: first.document)
                #expect(replaced.map { $0.kind != .object } == true, "\(error)")
                #expect(Self.value(at: error.path, in: second.document)?.kind == .object, "\(error)")
            }
        }
        #expect((100..<500).contains(combined))
    }

    static func value(at path: JSONPath, in document: JSONDocument) -> JSONDocument? {
        path.names.reduce(document) { value, name in
            value?.members?.first { Array($0.name.utf8) == name }?.value
        }
    }

    @Test(arguments: 0..<4)
    func `of three patches it does not matter which two are combined first`(seed: Int) throws {
        var random = SeededGenerator(state: UInt64(seed) &+ 300)
        var compared = 0
        for _ in 0..<500 {
            let patches = try (0..<3).map { _ in JSONMergePatch(try JSONDocument.random(using: &random)) }
            guard let left = try? JSONMergePatch.combine(.combine(patches[0], patches[1]), patches[2]),
                let right = try? JSONMergePatch.combine(patches[0], .combine(patches[1], patches[2]))
            else { continue }
            compared += 1
            #expect(left.document.isEquivalent(to: right.document))
        }
        #expect(compared > 50)
    }

    @Test(arguments: 0..<2)
    func `the empty patch changes no other, before or behind it`(seed: Int) throws {
        var random = SeededGenerator(state: UInt64(seed) &+ 400)
        let nothing = JSONMergePatch(.emptyObject)
        for _ in 0..<300 {
            let memberSet = RandomShape.object(depth: 4, using: &random)
            let patch = JSONMergePatch(try memberSet.document(using: &random))
            #expect(try JSONMergePatch.combine(patch, nothing) == patch)
            #expect(try JSONMergePatch.combine(nothing, patch).document.isEquivalent(to: patch.document))
        }
    }
}

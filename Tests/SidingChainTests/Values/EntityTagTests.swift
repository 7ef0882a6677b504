// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import Testing

@Suite struct EntityTagTests {
    @Test(
        arguments: [
            ([], nil), ([""], nil), ([#""a""#], #""a""#), ([#"W/"a""#], #"W/"a""#), ([#""""#], #""""#),
            // A comma inside of the quotes separates nothing.
            ([#""a,b""#], #""a,b""#), ([#""a, b""#], #""a, b""#),
            // What has no quotes is no tag by the book, and works all the same.
            (["a1b2"], "a1b2"), (["a, b"], "a, b"), ([#""a"#], #""a"#), ([#"""a"""#], #"""a"""#),
            ([#""a""#, #""b""#], nil), ([#""a""#, #""a""#], nil), ([#""a""#, ""], nil), (["a", "b"], nil),
            ([#""a", "b""#], nil), ([#""a","b""#], nil), ([#"W/"a" , W/"b""#], nil), ([#""a", b"#], nil),
        ] as [([String], String?)])
    func `an answer has one entity tag, or none`(_ values: [String], _ tag: String?) {
        var fields: HTTPFields = [.contentType: "application/json"]
        fields[values: .eTag] = values
        #expect(fields.entityTag == tag)
    }
}

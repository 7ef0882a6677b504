// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingJSON
import Testing

/// A document inside of a model.
@Suite struct JSONDocumentCodingTests {
    private struct Model: Codable, Equatable {
        var id: Int
        var extra: JSONDocument
    }

    private func roundTrip(_ text: String, usesSnakeCase: Bool = false) throws -> JSONDocument {
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        if usesSnakeCase {
            encoder.keyEncodingStrategy = .convertToSnakeCase
            decoder.keyDecodingStrategy = .convertFromSnakeCase
        }
        let read = try decoder.decode(Model.self, from: Data(#"{"id":1,"extra":\#(text)}"#.utf8))
        let again = try decoder.decode(Model.self, from: try encoder.encode(read))
        #expect(again == read, "\(text)")
        return read.extra
    }

    @Test(arguments: [
        "null", "true", "false", "0", "-7", "9223372036854775807", "-9223372036854775808", "18446744073709551615",
        "123456789012345678901234567890", "0.1", "-1.50", "1e30", "1e-30", #""""#, #""é\u0000\"\n""#, "[]", "{}",
        #"[1,[2,{"a":null}],"x"]"#, #"{"createdAt":{"created_at":[true,false]}}"#,
    ])
    func `a model may have a member of any JSON, which keeps its value`(text: String) throws {
        for usesSnakeCase in [false, true] {
            let read = try roundTrip(text, usesSnakeCase: usesSnakeCase)
            #expect(try read.isEquivalent(to: JSONDocument(text)), "\(read)")
        }
    }

    @Test func `random JSON keeps its value`() throws {
        var random = SeededGenerator(state: 15)
        for _ in 0..<300 {
            let text = RandomJSON.value(depth: 4, using: &random)
            guard let document = try? JSONDocument(text) else { continue }
            #expect(try roundTrip(text).isEquivalent(to: document), "\(text)")
        }
    }

    @Test(arguments: ["1e400", "9999999999999999999999999999999999999991", "0.\(String(repeating: "7", count: 60))"])
    func `a number that a coder cannot carry is refused, not rounded`(text: String) throws {
        let model = Model(id: 1, extra: try JSONDocument("[\(text)]"))
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(model) }
    }
}

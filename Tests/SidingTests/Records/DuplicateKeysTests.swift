// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

@testable import Siding

@Suite struct DuplicateKeysTests {
    private func superseded(_ json: String, key: [String] = ["$.id"]) throws -> Set<Int> {
        let bytes = Array(json.utf8)
        let reader = PageReader(records: nil, key: try key.map { try JSONPath(parsing: $0) })
        return try bytes.withUnsafeBytes { DuplicateKeys.superseded(in: try reader.read($0).records, $0) }
    }

    @Test func `without a repeated key nothing is superseded`() throws {
        #expect(try superseded("[]") == [])
        #expect(try superseded(#"[{"id":1},{"id":2},{"id":11}]"#) == [])
    }

    @Test func `all but the last of a key are superseded`() throws {
        #expect(try superseded(#"[{"id":1},{"id":2},{"id":1},{"id":1}]"#) == [0, 2])
        #expect(try superseded(#"[{"id":"a"},{"id":"b"},{"id":"b"},{"id":"a"}]"#) == [0, 1])
    }

    @Test func `a key is the same in every escaped form`() throws {
        #expect(try superseded(#"[{"id":"a"},{"id":"\u0061"}]"#) == [0])
    }

    @Test func `a text is not the integer of its digits`() throws {
        #expect(try superseded(#"[{"id":1},{"id":"1"}]"#) == [])
        #expect(try superseded(#"[{"id":1},{"id":"1"},{"id":1}]"#) == [0])
    }

    @Test func `composite keys are compared as a whole`() throws {
        let json = #"[{"a":1,"b":"x"},{"a":1,"b":"y"},{"a":1,"b":"x"}]"#
        #expect(try superseded(json, key: ["$.a", "$.b"]) == [0])
    }

    @Test func `records without a key supersede nothing`() throws {
        #expect(try superseded(#"[{},{"id":1},{},{"id":null},{"id":1}]"#) == [1])
    }

    @Test(.timeLimit(.minutes(5)))
    func `a large page in which every key stands twice takes no time to speak of`() throws {
        let half = (0..<100_000).map { #"{"id":\#($0)}"# }.joined(separator: ",")
        #expect(try superseded("[\(half),\(half)]").count == 100_000)
    }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Siding

@Suite struct EntryIDTests {
    @Test func `an id is 26 characters that cannot be taken for each other`() {
        for _ in 0..<200 {
            let id = EntryID.random()
            #expect(id.count == 26)
            #expect(id.allSatisfy { "0123456789abcdefghjkmnpqrstvwxyz".contains($0) })
        }
    }

    @Test func `ids do not repeat`() {
        #expect(Set((0..<1_000).map { _ in EntryID.random() }).count == 1_000)
    }

    @Test func `entries that are replaced together get neighbouring ids and keys, all different`() throws {
        let ids = try ReplacedIDs((0..<1_000).map { "old \($0)" })
        let rows = try JSONDecoder().decode([[String]].self, from: Data(ids.json.utf8))
        #expect(rows.map(\.[1]) == ids.new)
        #expect(ids.new.allSatisfy { $0.count == EntryID.length })
        #expect(Set(ids.new.map { $0.prefix(1) }).count == 1, "neighbours in an index are on the same pages")
        #expect(Set(rows.map { $0[2].prefix(2) }).count == 1)
        #expect(Set(ids.new).count == 1_000 && Set(rows.map { $0[2] }).count == 1_000)
        #expect(rows.allSatisfy { UUID(uuidString: $0[2]) != nil })
    }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingOrigin
import SidingSQLite
import Testing

@testable import Siding

@Suite struct RowIDsTests {
    private func unpacked(_ bytes: [UInt8]) throws -> RowIDs {
        try bytes.withUnsafeBytes { bytes throws(SQLiteError) in try RowIDs(packed: bytes) }
    }

    @Test func `packed ids are read back, sorted and once each`() throws {
        var generator = SeededGenerator(seed: 7)
        for count in [0, 1, 2, 100, 5_000] {
            let ids = (0..<count).map { _ in Int64.random(in: 1...(1 << 40), using: &generator) } + [1, 1, .max]
            let set = RowIDs(ids)
            #expect(set.ids == Set(ids).sorted())
            #expect(try unpacked(set.packed) == set)
        }
    }

    @Test(arguments: [
        [], [0], [0, 1, 2, 3], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4], [5, 6, 7, 8, 9, 11, 12, 14, 15, 16, 17],
    ])
    func `consecutive ids are read back, beside any others`(_ ids: [Int64]) throws {
        #expect(try unpacked(RowIDs(ids).packed) == RowIDs(ids))
        let last = ids.map { .max - 100 + $0 }
        #expect(try unpacked(RowIDs(last).packed) == RowIDs(last))
    }

    @Test func `a page of records that were inserted one after the other takes a few bytes`() throws {
        let page = RowIDs(Array(99_001...100_000))
        #expect(page.packed.count == 6)
        #expect(try unpacked(page.packed) == page)
    }

    @Test func `subtracting removes the ids of the other`() {
        let some = RowIDs([9, 3, 5, 7])
        #expect(some.subtracting(RowIDs([1, 5, 9, 10])).ids == [3, 7])
        #expect(some.subtracting(RowIDs([])) == some)
        #expect(RowIDs([]).subtracting(some).isEmpty)
    }

    @Test(
        arguments: [
            [0x80], [1, 0], [1, 0, 2], [1, 0, 0xFF, 0xFF, 0xFF, 0x7F], Array(repeating: UInt8(0xFF), count: 12),
        ] as [[UInt8]])
    func `bytes of another form are refused`(_ bytes: [UInt8]) {
        #expect(throws: SQLiteError.self) { try unpacked(bytes) }
    }

    @Test func `ten may be deleted but no more than half, a tenth of many, never all, and with 0 none`() {
        #expect(!DeletionGuard(listed: 10, most: 0.1).blocks(10))
        #expect(DeletionGuard(listed: 9, most: 0.1).blocks(10))
        #expect(DeletionGuard(listed: 11, most: 0.1).blocks(11))
        #expect(!DeletionGuard(listed: 1, most: 0.1).blocks(1))
        #expect(DeletionGuard(listed: 1, most: 0.1).blocks(2))
        #expect(!DeletionGuard(listed: 180, most: 0.1).blocks(20))
        #expect(DeletionGuard(listed: 178, most: 0.1).blocks(20))
        #expect(DeletionGuard(listed: 0, most: 1).blocks(1))
        #expect(!DeletionGuard(listed: 1, most: 1).blocks(99))
        #expect(DeletionGuard(listed: 99, most: 0).blocks(1))
        #expect(!DeletionGuard(listed: 0, most: 0).blocks(0))
    }
}

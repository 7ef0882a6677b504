// SPDX-License-Identifier: Apache-2.0
/// A set of row ids, ascending. Packed into a blob, each takes about two bytes, and ids in a row a few together.
package struct RowIDs: Hashable, Sendable {
    package private(set) var ids: [Int64]

    /// From ids in any order, with possible duplicates.
    package init(_ ids: [Int64]) {
        guard zip(ids, ids.dropFirst()).contains(where: { $0 >= $1 }) else {
            self.ids = ids
            return
        }
        var unique: [Int64] = []
        unique.reserveCapacity(ids.count)
        for id in ids.sorted() where id != unique.last { unique.append(id) }
        self.ids = unique
    }

    package var isEmpty: Bool { ids.isEmpty }

    /// The ids that are not in `other`.
    package func subtracting(_ other: RowIDs) -> RowIDs {
        var found = Candidates(self)
        found.find(other)
        return RowIDs(found.left)
    }

    // MARK: Packing

    /// Each as the difference to the one before it, in LEB128: seven bits to a byte, the lowest first.
    ///
    /// The records of most pages were inserted one after the other. So three or more differences of 1 are a 0, which is not a
    /// difference, and their count.
    package var packed: [UInt8] {
        var bytes: [UInt8] = []
        var (last, ones): (Int64, UInt64) = (0, 0)
        for (index, id) in ids.enumerated() {
            let difference = UInt64(bitPattern: id &- last)
            last = id
            if difference == 1, index > 0, ones < Self.mostInRow {
                ones += 1
            } else {
                Self.append(ones: ones, to: &bytes)
                ones = 0
                Self.append(difference, to: &bytes)
            }
        }
        Self.append(ones: ones, to: &bytes)
        return bytes
    }

    private static func append(ones count: UInt64, to bytes: inout [UInt8]) {
        if count < 3 { return bytes.append(contentsOf: repeatElement(1, count: Int(count))) }
        bytes.append(0)
        append(count, to: &bytes)
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// - Throws: ``SQLiteError/Kind/corrupt`` if the bytes are not in this format.
    package init(packed bytes: UnsafeRawBufferPointer) throws(SQLiteError) {
        ids = []
        var (last, number, shift): (Int64, UInt64, UInt64) = (0, 0, 0)
        var isCount = false
        for byte in bytes {
            guard shift < 64 else { throw Self.damaged }
            number |= UInt64(byte & 0x7F) << shift
            shift += 7
            guard byte & 0x80 == 0 else { continue }
            if isCount {
                // Damage must not fill the memory.
                guard (3...Self.mostInRow).contains(number), last <= .max - Int64(number) else { throw Self.damaged }
                ids.append(contentsOf: last + 1...last + Int64(number))
                last += Int64(number)
                isCount = false
            } else if number == 0, !ids.isEmpty {
                isCount = true
            } else {
                let id = last &+ Int64(bitPattern: number)
                guard id > last || ids.isEmpty else { throw Self.damaged }
                ids.append(id)
                last = id
            }
            (number, shift) = (0, 0)
        }
        guard shift == 0, !isCount else { throw Self.damaged }
    }

    private static let mostInRow: UInt64 = 10_000_000

    private static var damaged: SQLiteError {
        SQLiteError(.corrupt, "packed row ids cannot be read", operation: "read a column", path: "")
    }
}

/// Row ids to look for in other sets, to find those that none of them has.
package struct Candidates {
    package let ids: [Int64]
    private var isFound: [Bool]

    package init(_ set: RowIDs) {
        ids = set.ids
        isFound = Array(repeating: false, count: set.ids.count)
    }

    /// Those not found, ascending.
    package var left: [Int64] { zip(ids, isFound).compactMap { $1 ? nil : $0 } }

    /// Marks those in `others` as found.
    package mutating func find(_ others: RowIDs) {
        var low = 0
        for id in others.ids {
            var high = ids.count
            while low < high {
                let middle = (low + high) / 2
                if ids[middle] < id { low = middle + 1 } else { high = middle }
            }
            guard low < ids.count else { return }
            if ids[low] == id { isFound[low] = true }
        }
    }
}

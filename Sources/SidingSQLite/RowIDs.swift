/// A set of row ids, ascending. Packed into a blob, each takes about two bytes.
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
    package var packed: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(ids.count * 2 + 8)
        var last: Int64 = 0
        for id in ids {
            var difference = UInt64(bitPattern: id &- last)
            while difference > 0x7F {
                bytes.append(UInt8(truncatingIfNeeded: difference) | 0x80)
                difference >>= 7
            }
            bytes.append(UInt8(truncatingIfNeeded: difference))
            last = id
        }
        return bytes
    }

    /// - Throws: ``SQLiteError/Kind/corrupt`` if the bytes are not in this format.
    package init(packed bytes: UnsafeRawBufferPointer) throws(SQLiteError) {
        ids = []
        ids.reserveCapacity(bytes.count)
        var (last, difference, shift): (Int64, UInt64, UInt64) = (0, 0, 0)
        for byte in bytes {
            guard shift < 64 else { throw Self.damaged }
            difference |= UInt64(byte & 0x7F) << shift
            shift += 7
            guard byte & 0x80 == 0 else { continue }
            let id = last &+ Int64(bitPattern: difference)
            guard id > last || ids.isEmpty else { throw Self.damaged }
            ids.append(id)
            (last, difference, shift) = (id, 0, 0)
        }
        guard shift == 0 else { throw Self.damaged }
    }

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

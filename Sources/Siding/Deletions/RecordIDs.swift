/// A set of row ids of records, ascending; packed it takes about two bytes for each.
struct RecordIDs: Hashable {
    private(set) var ids: [Int64]

    /// Of ids in any order, some perhaps twice.
    init(_ ids: [Int64]) {
        guard zip(ids, ids.dropFirst()).contains(where: { $0 >= $1 }) else {
            self.ids = ids
            return
        }
        var unique: [Int64] = []
        unique.reserveCapacity(ids.count)
        for id in ids.sorted() where id != unique.last { unique.append(id) }
        self.ids = unique
    }

    var isEmpty: Bool { ids.isEmpty }

    /// Those that `other` has not.
    func subtracting(_ other: RecordIDs) -> RecordIDs {
        var found = Candidates(self)
        found.find(other)
        return RecordIDs(found.left)
    }

    // MARK: Packing

    /// Each as the difference to the one before it, in LEB128: seven bits to a byte, the lowest first.
    var packed: [UInt8] {
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

    /// - Throws: ``StoreError/Kind/corrupt`` where the bytes were not packed by us.
    init(packed bytes: UnsafeRawBufferPointer) throws(StoreError) {
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

    private static var damaged: StoreError {
        StoreError(.corrupt, "the records of a stored page cannot be read")
    }
}

/// Records that are looked for: on which pages they are found decides what becomes of them.
struct Candidates {
    let ids: [Int64]
    private var isFound: [Bool]

    init(_ set: RecordIDs) {
        ids = set.ids
        isFound = Array(repeating: false, count: set.ids.count)
    }

    /// Those that were not found, ascending.
    var left: [Int64] { zip(ids, isFound).compactMap { $1 ? nil : $0 } }

    mutating func find(_ others: RecordIDs) {
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

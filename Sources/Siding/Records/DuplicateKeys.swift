// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingSynchronization

/// Finds the records of a page whose key occurs again later in it: the last one wins, the earlier ones are not written.
enum DuplicateKeys {
    /// The indexes of records that a later one in the page replaces.
    static func superseded(in slices: [RecordSlice], _ page: UnsafeRawBufferPointer) -> Set<Int> {
        var superseded: Set<Int> = []
        var laterWithHash: [Int: Int] = Dictionary(minimumCapacity: slices.count)
        for index in slices.indices.reversed() {
            guard case .key(let key) = slices[index].outcome else { continue }
            let hash = key.withBytes(in: page, hash)
            guard let later = laterWithHash.updateValue(index, forKey: hash) else { continue }
            // Equal hashes do not prove equal keys: a collision must not lose a record.
            if isSame(key, slices[later], page) || slices[(later + 1)...].contains(where: { isSame(key, $0, page) }) {
                superseded.insert(index)
            }
        }
        return superseded
    }

    private static func isSame(_ key: RecordKey, _ slice: RecordSlice, _ page: UnsafeRawBufferPointer) -> Bool {
        guard case .key(let other) = slice.outcome, other.kind == key.kind else { return false }
        return key.withBytes(in: page) { one in other.withBytes(in: page) { two in one.isSame(as: two) } }
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        return hasher.finalize()
    }
}

extension UnsafeRawBufferPointer {
    /// Whether both hold the same bytes.
    func isSame(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let start = baseAddress, let otherStart = other.baseAddress else { return true }
        return memcmp(start, otherStart, count) == 0
    }
}

// SPDX-License-Identifier: Apache-2.0
/// Finds repeated names: holds the member names of all open objects, innermost last.
///
/// In objects up to `smallLimit` names each name is checked when it is read: a Bloom filter of 64 bits recognizes most new
/// names, otherwise the hashes are compared. Larger objects are checked once at their end, with a hash table; if provoked
/// collisions slow it down, by sorting, so that no object takes more than n log n.
struct NameSet: ~Copyable {
    struct Entry {
        let hash: UInt64
        /// The offset of the contents in the document.
        let start: UInt32
        let count: UInt32
        let isEscaped: Bool
    }

    /// One object's range of the set.
    struct Span {
        var first: Int
        var filter: UInt64 = 0
    }

    static let smallLimit = 48

    private var entries = ScratchStack<Entry>(capacity: 256)
    private let document: UnsafePointer<UInt8>

    init(document: UnsafePointer<UInt8>) {
        self.document = document
    }

    @inline(__always)
    mutating func removeAll() {
        entries.cut(to: 0)
    }

    @inline(__always)
    func beginObject() -> Span {
        Span(first: entries.count)
    }

    /// Adds a name to the innermost object; true if it is known to be repeated.
    @inline(__always)
    mutating func insert(_ name: ScannedString, hash: UInt64, in span: inout Span) -> Bool {
        let entry = Entry(
            hash: hash, start: UInt32(truncatingIfNeeded: name.start - document),
            count: UInt32(truncatingIfNeeded: name.count), isEscaped: name.isEscaped)
        entries.append(entry)
        let bit: UInt64 = 1 &<< (hash >> 58)
        let isNew = span.filter & bit == 0
        span.filter |= bit
        return isNew ? false : containsBefore(entry, span)
    }

    /// Ends the innermost object; for a large one, returns a repeated name if there is one.
    @inline(__always)
    mutating func endObject(_ span: Span) -> Entry? {
        let repeated = entries.count - span.first > Self.smallLimit ? duplicateOfLarge(span) : nil
        entries.cut(to: span.first)
        return repeated
    }

    @inline(never)
    private func containsBefore(_ entry: Entry, _ span: Span) -> Bool {
        let last = entries.count - 1
        guard last - span.first < Self.smallLimit else { return false }
        var index = span.first
        while index < last {
            if entries[index].hash == entry.hash, areEqual(entries[index], entry) { return true }
            index += 1
        }
        return false
    }

    @inline(never)
    private func duplicateOfLarge(_ span: Span) -> Entry? {
        let names = UnsafeMutableBufferPointer(start: entries.base + span.first, count: entries.count - span.first)
        let bits = Int.bitWidth - names.count.leadingZeroBitCount + 1
        let table = ScratchStack<UInt32>(repeating: 0, count: 1 << bits)
        var steps = 8 * names.count
        for index in names.indices {
            var slot = Int(truncatingIfNeeded: names[index].hash >> UInt64(64 - bits))
            while table[slot] != 0 {
                let other = names[Int(table[slot]) - 1]
                if other.hash == names[index].hash, areEqual(other, names[index]) { return names[index] }
                slot = (slot + 1) & (table.count - 1)
                steps -= 1
                if steps == 0 { return duplicateBySorting(names) }
            }
            table[slot] = UInt32(truncatingIfNeeded: index + 1)
        }
        return nil
    }

    private func duplicateBySorting(_ unsorted: UnsafeMutableBufferPointer<Entry>) -> Entry? {
        let names = unsorted.sorted { left, right in
            if left.hash != right.hash { return left.hash < right.hash }
            let order = compare(left, right)
            return order == 0 ? left.start < right.start : order < 0
        }
        return zip(names, names.dropFirst()).filter { $0.hash == $1.hash && areEqual($0, $1) }.map(\.1)
            .min { $0.start < $1.start }
    }

    private func areEqual(_ left: Entry, _ right: Entry) -> Bool {
        if left.isEscaped || right.isEscaped { return JSONString.compare(contents(left), contents(right)) == 0 }
        return left.count == right.count && contents(left).elementsEqual(contents(right))
    }

    private func compare(_ left: Entry, _ right: Entry) -> Int {
        if left.isEscaped || right.isEscaped { return JSONString.compare(contents(left), contents(right)) }
        if contents(left).elementsEqual(contents(right)) { return 0 }
        return contents(left).lexicographicallyPrecedes(contents(right)) ? -1 : 1
    }

    private func contents(_ entry: Entry) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: document + Int(entry.start), count: Int(entry.count))
    }
}

// SPDX-License-Identifier: Apache-2.0
/// A 64-bit hash of a member's decoded name, the same in every run and on every machine.
///
/// Collisions can be provoked, so after equal hashes the bytes must be compared, too.
enum NameHash {
    private static let odd: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// - Parameter readable: the number of bytes that may be read from `name` on; 8 or more are fastest.
    @inline(__always)
    static func hash(_ name: UnsafePointer<UInt8>, count: Int, readable: Int) -> UInt64 {
        if count <= 8 {
            if readable >= 8, count > 0 {
                return mix(word(at: name) & (~0 >> UInt64(64 - 8 * count)), count)
            }
            return mix(shortWord(at: name, count: count), count)
        }
        if count <= 16 {
            let last = word(at: name + (count - 8))
            return mix(word(at: name) &* odd ^ (last << 32 | last >> 32), count)
        }
        return longHash(name, count: count)
    }

    /// - Parameter readable: the number of bytes that may be read from the start of the name's contents.
    @inline(__always)
    static func hash(_ name: ScannedString, readable: Int) -> UInt64 {
        name.isEscaped ? hash(decoding: name.contents) : hash(name.start, count: name.count, readable: readable)
    }

    /// The hash of a sequence of names, from the hash of the previous names and the last one's; 0 is the empty sequence.
    @inline(__always)
    static func combine(_ sequence: UInt64, _ name: UInt64) -> UInt64 {
        ((sequence << 7 | sequence >> 57) ^ name) &* odd
    }

    /// The hash of an escaped name.
    @inline(never)
    private static func hash(decoding contents: UnsafeRawBufferPointer) -> UInt64 {
        var text: [UInt8] = []
        JSONString.append(decoding: contents, to: &text)
        return hash(of: text)
    }

    static func hash(of name: [UInt8]) -> UInt64 {
        name.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return mix(0, 0) }
            return hash(base, count: bytes.count, readable: bytes.count)
        }
    }

    @inline(__always)
    private static func mix(_ word: UInt64, _ count: Int) -> UInt64 {
        let product = (word ^ UInt64(truncatingIfNeeded: count)) &* odd
        return (product ^ product >> 32) &* odd
    }

    @inline(__always)
    private static func word(at place: UnsafePointer<UInt8>) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(place).loadUnaligned(as: UInt64.self))
    }

    private static func shortWord(at name: UnsafePointer<UInt8>, count: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in 0..<count { word |= UInt64(name[index]) << UInt64(8 * index) }
        return word
    }

    @inline(never)
    private static func longHash(_ name: UnsafePointer<UInt8>, count: Int) -> UInt64 {
        var hash: UInt64 = 0
        var index = 0
        while index + 8 < count {
            hash = (hash ^ word(at: name + index)) &* odd
            hash ^= hash >> 29
            index += 8
        }
        return mix(hash ^ word(at: name + (count - 8)), count)
    }
}

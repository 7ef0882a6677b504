// SPDX-License-Identifier: Apache-2.0
/// Digests of a page's records, to compare pages. Identical bytes have the same digest, also in another process; different
/// bytes almost certainly differ. They do not resist deliberate collisions.
package struct RecordDigests: Sendable, Hashable {
    /// One digest per record, in order.
    package let each: [UInt64]

    package init(_ records: [RecordSlice], of page: [UInt8]) {
        each = page.withUnsafeBytes { bytes in
            records.map { Self.digest(UnsafeRawBufferPointer(rebasing: bytes[$0.range])) }
        }
    }

    /// The digest of all records in order; nil if there are none.
    package var whole: UInt64? {
        each.isEmpty ? nil : each.reduce(UInt64(each.count)) { Self.mixed($0, $1) }
    }

    private static func digest(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var digest = UInt64(bytes.count)
        var offset = 0
        while offset + 8 <= bytes.count {
            digest = mixed(digest, UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        while offset < bytes.count {
            digest = mixed(digest, UInt64(bytes[offset]))
            offset += 1
        }
        return digest
    }

    /// One step of a multiplicative hash. The shift mixes high bits into low ones; the factor is odd and has no pattern.
    private static func mixed(_ digest: UInt64, _ word: UInt64) -> UInt64 {
        let product = (digest ^ word) &* 0x9FB2_1C65_1E98_DF25
        return product ^ (product >> 32)
    }
}

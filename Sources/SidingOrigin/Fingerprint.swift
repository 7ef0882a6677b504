// SPDX-License-Identifier: Apache-2.0
/// Computes strong validators for bytes: 64 bits of a multiply-and-fold hash, eight bytes at a time.
enum Fingerprint {
    static func of(_ bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        bytes.withUnsafeBytes { buffer in
            var offset = 0
            while offset + 8 <= buffer.count {
                hash = mixed(hash, buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                offset += 8
            }
            for byte in buffer[offset...] { hash = mixed(hash, UInt64(byte) | 0x100) }
        }
        return String(mixed(hash, UInt64(bytes.count)), radix: 16)
    }

    private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }
}

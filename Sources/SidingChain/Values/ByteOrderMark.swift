// SPDX-License-Identifier: Apache-2.0
extension [UInt8] {
    /// The bytes behind a byte order mark of UTF-8, which some origins send although JSON has none (RFC 8259 §8.1).
    package var withoutByteOrderMark: [UInt8] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return starts(with: mark) ? Array(dropFirst(mark.count)) : self
    }
}

// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SidingJSON

/// Names made to collide, as an origin that knows the hash could make them.
struct NameSetTests {
    /// Sixteen printable bytes each, whose halves cancel out in `NameHash`.
    static func collidingNames(_ count: Int) -> [String] {
        var names: [String] = []
        var first: UInt64 = 0x3030_3030_3030_3030
        while names.count < count {
            first = first & 0xFF == 0x7A ? first + 0x100 - 0x4A : first + 1
            let mixed = first &* 0x9E37_79B9_7F4A_7C15 ^ 0x4142_4344_4546_4748
            let second = mixed << 32 | mixed >> 32
            if isPlain(first), isPlain(second) {
                names.append(String(decoding: bytes(first) + bytes(second), as: UTF8.self))
            }
        }
        return names
    }

    static func isPlain(_ word: UInt64) -> Bool {
        for shift in 0..<UInt64(8) {
            let byte = word >> (8 * shift) & 0xFF
            if byte < 0x20 || byte > 0x7E || byte == 0x22 || byte == 0x5C { return false }
        }
        return true
    }

    static func bytes(_ word: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
    }

    @Test(arguments: [2, 40, 60, 100])
    func `names that collide still differ, and a repeated one is still found`(count: Int) throws {
        let names = Self.collidingNames(count)
        try #require(Set(names.map { NameHash.hash(of: Array($0.utf8)) }).count == 1)
        try #require(Set(names).count == count)
        let valid = "{\"id\":1," + names.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        let broken = valid.dropLast() + ",\"\(names[count / 2])\":0,\"\(names[0])\":0}"
        let page = Page("[\(valid),\(broken)]")
        let records = try page.read(limits: JSONLimits()).records
        #expect(records[0].fault == nil)
        let offset = 1 + valid.utf8.count + 1 + valid.utf8.count
        #expect(records[1].fault == .duplicateName(names[count / 2], offset: offset))
    }

    @Test func `a name hashes alike at any place and with any escapes`() {
        for length in 0..<40 {
            let name = Array((0..<length).map { UInt8(0x61 + $0 % 26) })
            let hash = NameHash.hash(of: name)
            let padded = name + [UInt8](repeating: 0x78, count: 40)
            padded.withUnsafeBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                #expect(NameHash.hash(base, count: length, readable: padded.count) == hash)
            }
            #expect(length == 0 || NameHash.hash(of: Array(name.dropLast())) != hash)
        }
    }
}

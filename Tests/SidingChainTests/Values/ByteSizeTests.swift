// SPDX-License-Identifier: Apache-2.0
import SidingChain
import Testing

@Suite struct ByteSizeTests {
    @Test(arguments: [
        ("1", 1, "1B"), ("1023B", 1_023, "1023B"), ("1024", 1_024, "1KiB"), ("64KiB", 65_536, "64KiB"),
        ("2MiB", 2_097_152, "2MiB"), ("1024MiB", 1 << 30, "1GiB"), ("500KB", 500_000, "500KB"),
        ("10MB", 10_000_000, "10MB"), ("3GB", 3_000_000_000, "3GB"), ("0", 0, "0B"),
    ])
    func `a size is read, and written in the unit that divides it`(_ text: String, _ bytes: Int, _ written: String) {
        #expect(ByteSize.parse(text) == bytes)
        #expect(ByteSize.exact(bytes) == written)
        #expect(ByteSize.parse(written) == bytes)
    }

    @Test(arguments: [
        "", "B", "MiB", "-1", "1.5MiB", "2 MiB", "2mib", "2M", "2TiB", "２MiB", "9999999999999999", "999999999999999GiB",
    ])
    func `text that is not a size is not read as one`(_ text: String) {
        #expect(ByteSize.parse(text) == nil)
    }
}

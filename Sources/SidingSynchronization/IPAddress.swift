// SPDX-License-Identifier: Apache-2.0
/// Numeric addresses of the Internet Protocol.
package enum IPAddress {
    /// The 4 or 16 bytes of an address as inet_pton(3) reads it; nil for any other text.
    package static func bytes(_ text: String) -> [UInt8]? {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            if inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }
}

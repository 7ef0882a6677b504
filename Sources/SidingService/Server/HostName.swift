// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// The host of a `Host` field or an origin: `localhost:8787`, `[::1]`, `siding.example.org` (RFC 3986 §3.2.2).
struct HostName: Hashable {
    /// In lower case, without the brackets of an IPv6 address.
    let name: String
    let port: Int?

    /// Nil if `text` is no host with an optional port.
    init?(_ text: String) {
        var name = text[...]
        var rest = text[text.endIndex...]
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            name = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
            guard IPAddress.bytes(String(name))?.count == 16 else { return nil }
        } else if let colon = text.firstIndex(of: ":") {
            (name, rest) = (text[..<colon], text[colon...])
        }
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isAllowed) else { return nil }
        guard !rest.isEmpty else {
            (self.name, port) = (name.lowercased(), nil)
            return
        }
        let digits = rest.dropFirst()
        guard rest.first == ":", digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
            let port = UInt16(digits)
        else { return nil }
        (self.name, self.port) = (name.lowercased(), Int(port))
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        PercentCoding.isUnreserved(byte) || byte == UInt8(ascii: ":")
    }

    var isNumeric: Bool { IPAddress.bytes(name) != nil }
}

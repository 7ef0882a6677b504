// SPDX-License-Identifier: Apache-2.0
/// Numbers of bytes as text.
package enum ByteSize {
    /// The units of the config, preferred ones first.
    package static let units: KeyValuePairs = [
        "GiB": 1 << 30, "MiB": 1 << 20, "KiB": 1 << 10, "GB": 1_000_000_000, "MB": 1_000_000, "KB": 1_000, "B": 1,
    ]

    /// The size that a text of the config such as `64KiB`, `10MB` or `1234` stands for; nil for any other text.
    package static func parse(_ text: some StringProtocol) -> Int? {
        let number = text.prefix { $0.isASCII && $0.isNumber }
        let name = text.dropFirst(number.count)
        guard (1...15).contains(number.count), let count = Int(number),
            let unit = name.isEmpty ? 1 : units.first(where: { $0.key == name })?.value
        else { return nil }
        let (product, overflow) = count.multipliedReportingOverflow(by: unit)
        return overflow ? nil : product
    }

    /// The exact size in the form of the config, in the first unit that divides it: `50MiB`, `10MB`, `1234B`.
    package static func exact(_ bytes: Int) -> String {
        let unit = units.first { bytes >= $0.value && bytes % $0.value == 0 } ?? (key: "B", value: 1)
        return "\(bytes / unit.value)\(unit.key)"
    }

    /// A rounded size for messages, in binary units: `512 B`, `1.4 MiB`.
    package static func rounded(_ bytes: Int) -> String {
        guard bytes >= 1024 else { return "\(bytes) B" }
        var (value, unit) = (Double(bytes), "")
        for next in ["KiB", "MiB", "GiB", "TiB"] where value >= 1024 { (value, unit) = (value / 1024, next) }
        return "\((value * 10).rounded() / 10) \(unit)"
    }
}

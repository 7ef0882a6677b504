internal import SidingJSON

extension ColumnType {
    /// Whether the JSON type of `value` matches this type.
    func fits(_ value: EnvelopeValue, in record: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .any, .json: true
        case .integer: value.isWhole(in: record)
        case .real: value.kind == .number
        case .text: value.kind == .string
        case .boolean: value.kind == .true || value.kind == .false
        case .datetime(.rfc3339): value.kind == .string
        case .datetime: value.kind == .number
        }
    }
}

extension EnvelopeValue {
    /// Whether the number is whole, however it is written: `1`, `1.0`, `1e3`. JSON has no separate integers (RFC 8259 §6), and
    /// columns show them alike.
    fileprivate func isWhole(in bytes: UnsafeRawBufferPointer) -> Bool {
        if isInteger(in: bytes) { return true }
        guard kind == .number, let text = text(in: bytes) else { return false }
        let parts = text.split(maxSplits: 1) { $0 == "e" || $0 == "E" }
        let mantissa = parts[0].drop { $0 == "-" }.split(separator: ".", maxSplits: 1)
        let digits = mantissa.joined()
        let zeros = digits.utf8.reversed().prefix { $0 == UInt8(ascii: "0") }.count
        guard zeros < digits.utf8.count else { return true }
        let decimals = mantissa.count > 1 ? mantissa[1].utf8.count : 0
        guard parts.count > 1 else { return zeros >= decimals }
        // An exponent beyond 64 bits is larger than any number of digits.
        guard let exponent = Int(parts[1]), exponent.magnitude < 1 << 62 else { return !parts[1].hasPrefix("-") }
        return exponent >= decimals - zeros
    }
}

// SPDX-License-Identifier: Apache-2.0
/// The seven kinds of JSON values (RFC 8259, section 3), determined by the first byte.
public enum JSONKind: UInt8, Sendable, Hashable, BitwiseCopyable, CustomStringConvertible {
    case object, array, string, number
    case `true`, `false`, null

    /// The kind of a valid value that begins with `byte`.
    @inline(__always)
    init(firstByte byte: UInt8) {
        switch byte {
        case UInt8(ascii: "{"): self = .object
        case UInt8(ascii: "["): self = .array
        case UInt8(ascii: "\""): self = .string
        case UInt8(ascii: "t"): self = .true
        case UInt8(ascii: "f"): self = .false
        case UInt8(ascii: "n"): self = .null
        default: self = .number
        }
    }

    /// The kind with its article, for messages: "an object", "null".
    public var description: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .true: "true"
        case .false: "false"
        case .null: "null"
        }
    }
}

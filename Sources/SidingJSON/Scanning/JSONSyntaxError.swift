// SPDX-License-Identifier: Apache-2.0
/// Where and why a document is not valid by RFC 8259, or exceeds a limit of the reader.
///
/// It contains only one byte of the document, so it is small and safe to print.
public struct JSONSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problem that the scanner found; ``JSONSyntaxError/what`` describes each.
    public enum Problem: UInt8, Sendable, Hashable {
        case expectedValue, expectedName, expectedNameOrEnd, expectedColon
        case expectedCommaOrObjectEnd, expectedCommaOrArrayEnd, expectedValueOrArrayEnd, expectedEnd
        case expectedDigit, expectedEscape, expectedHexadecimalDigit, expectedClosingQuote
        case unescapedControlCharacter
        case invalidUTF8, byteOrderMark, utf16
        case tooDeep, tooManyValues, stringTooLong
    }

    /// What is wrong at ``offset``.
    public let problem: Problem
    /// Zero-based, in bytes of the document.
    public let offset: Int
    /// The byte at `offset`; nil at the end of the document.
    public let found: UInt8?

    /// The expectation or problem as a message.
    public var what: String {
        switch problem {
        case .expectedValue: "expected a value"
        case .expectedName: "expected a member name in double quotes"
        case .expectedNameOrEnd: "expected a member name in double quotes, or '}'"
        case .expectedColon: "expected ':'"
        case .expectedCommaOrObjectEnd: "expected ',' or '}'"
        case .expectedCommaOrArrayEnd: "expected ',' or ']'"
        case .expectedValueOrArrayEnd: "expected a value or ']'"
        case .expectedEnd: "expected nothing after the value"
        case .expectedDigit: "expected a digit"
        case .expectedEscape: "expected one of \" \\ / b f n r t u after a backslash"
        case .expectedHexadecimalDigit: "expected four hexadecimal digits after \\u"
        case .expectedClosingQuote: "expected the closing quote of a string"
        case .unescapedControlCharacter: "a control character inside a string must be escaped"
        case .invalidUTF8: "not UTF-8"
        case .byteOrderMark: "a byte order mark stands before the JSON"
        case .utf16: "UTF-16 or UTF-32, not UTF-8"
        case .tooDeep: "arrays and objects are nested too deep"
        case .tooManyValues: "too many values"
        case .stringTooLong: "a string is too long"
        }
    }

    public var description: String {
        "byte \(offset): \(what)\(foundText)"
    }

    private var foundText: String {
        switch problem {
        case .byteOrderMark, .utf16, .tooDeep, .tooManyValues, .stringTooLong: ""
        default: ", found \(Self.name(of: found))"
        }
    }

    private static func name(of byte: UInt8?) -> String {
        guard let byte else { return "the end" }
        if byte == UInt8(ascii: "'") { return "\"'\"" }
        if byte > 0x20, byte < 0x7F { return "'\(Unicode.Scalar(byte))'" }
        let digits = String(byte, radix: 16, uppercase: true)
        return "byte 0x" + (digits.count == 1 ? "0" : "") + digits
    }

    /// At most 40 bytes around `offset`, as one line of printable text.
    ///
    /// - Parameter document: the bytes that were read.
    public func excerpt(of document: UnsafeRawBufferPointer) -> String {
        let middle = min(offset, document.count)
        let range = max(0, middle - 20)..<min(document.count, middle + 20)
        return PlainText.oneLine(String(decoding: document[range], as: UTF8.self), limit: 80)
    }
}

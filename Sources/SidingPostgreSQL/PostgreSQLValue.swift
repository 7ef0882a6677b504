// SPDX-License-Identifier: Apache-2.0
/// A parameter of a statement. All are sent as text; the server infers the type from the statement, or from a cast such as
/// `$1::bigint[]`.
package enum PostgreSQLValue: Sendable, Equatable {
    case null
    /// Text, or any type in its text form. PostgreSQL can store no NUL character.
    case text(String)
    case integer(Int64)
    /// An array of any type in its text form; nil is NULL.
    case texts([String?])
    case integers([Int64?])
}

/// The text forms of a statement's parameters, in one buffer.
struct PostgreSQLParameters {
    private var bytes: [UInt8] = []
    /// Where each value begins; nil is NULL.
    private var starts: [Int?] = []

    /// - Throws: ``PostgreSQLError`` of kind `refused` for text with NUL, with the server's own SQLSTATE for it.
    init(_ values: [PostgreSQLValue]) throws(PostgreSQLError) {
        starts.reserveCapacity(values.count)
        for value in values {
            starts.append(value == .null ? nil : bytes.count)
            switch value {
            case .null: continue
            case .text(let text): bytes.append(contentsOf: text.utf8)
            case .integer(let integer): bytes.append(contentsOf: String(integer).utf8)
            case .texts(let texts): appendArray(texts) { $0.appendQuoted($1) }
            case .integers(let integers):
                appendArray(integers) { $0.bytes.append(contentsOf: String($1).utf8) }
            }
            bytes.append(0)
        }
        // libpq would send the text before it.
        guard bytes.count(where: { $0 == 0 }) == starts.count(where: { $0 != nil }) else {
            throw PostgreSQLError(
                .refused, "a parameter has a NUL character, which PostgreSQL cannot store", sqlState: "22021")
        }
    }

    /// Calls `body` with the number of values and a C string for each, which are valid in it.
    func withPointers<Value>(_ body: (Int32, PostgreSQLLibrary.Texts?) -> Value) -> Value {
        bytes.withUnsafeBytes { buffer in
            let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            let pointers = starts.map { start in start.flatMap { base?.advanced(by: $0) } }
            return pointers.withUnsafeBufferPointer { body(Int32(clamping: $0.count), $0.baseAddress) }
        }
    }

    /// Appends an array literal (PostgreSQL's documentation, "Array Input and Output Syntax").
    private mutating func appendArray<Element>(_ elements: [Element?], _ append: (inout Self, Element) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            if let element { append(&self, element) } else { bytes.append(contentsOf: "NULL".utf8) }
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Appends an element in quotes, which every text may be in, with a backslash before quotes and backslashes.
    private mutating func appendQuoted(_ text: String) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { utf8 in
            var start = 0
            for index in utf8.indices where utf8[index] == UInt8(ascii: "\"") || utf8[index] == UInt8(ascii: "\\") {
                bytes.append(contentsOf: utf8[start..<index])
                bytes.append(UInt8(ascii: "\\"))
                start = index
            }
            bytes.append(contentsOf: utf8[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingJSON
import SidingSQLite

/// A parameter of a statement on the command line: `NAME=VALUE`.
///
/// A value that is a number, a string, true, false or null in JSON is that; all else is the text itself.
struct ParameterArgument: ExpressibleByArgument, Sendable {
    let name: String
    let value: SQLiteValue

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "=") else { return nil }
        // The statement has the sign, but who writes it here too means the same.
        let name = argument[..<equals].drop { $0 == ":" || $0 == "@" || $0 == "$" }
        guard !name.isEmpty else { return nil }
        self.name = String(name)
        value = Self.value(String(argument[argument.index(after: equals)...]))
    }

    private static func value(_ text: String) -> SQLiteValue {
        guard let document = try? JSONDocument(text) else { return .text(text) }
        if document.isNull { return .null }
        if let isTrue = document.bool { return .integer(isTrue ? 1 : 0) }
        if let string = document.string { return .text(string) }
        return document.digits.map(number) ?? .text(text)
    }

    /// An integer beyond 64 bits stays a text, as columns show it.
    private static func number(_ text: String) -> SQLiteValue {
        if let integer = Int64(text) { return .integer(integer) }
        let isInteger = text.utf8.allSatisfy { $0 != UInt8(ascii: ".") && $0 | 0x20 != UInt8(ascii: "e") }
        guard !isInteger, let real = Double(text) else { return .text(text) }
        return .real(real)
    }
}

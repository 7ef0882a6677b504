// SPDX-License-Identifier: Apache-2.0
/// Parses SQLite's path notation into components.
struct JSONPathParser {
    /// No document within the default depth limit needs a longer one, and walking a path recurses once per component.
    static let maximumComponents = 64

    private let text: String
    private let bytes: [UInt8]
    private var position = 0
    private let allowsInnerEach: Bool

    init(_ text: String, allowsInnerEach: Bool) {
        self.text = text
        self.allowsInnerEach = allowsInnerEach
        bytes = Array(text.utf8)
    }

    mutating func parse() throws(JSONPathError) -> [JSONPath.Component] {
        guard take("$") else {
            throw failure(text.isEmpty ? "it is empty; $ stands for the whole document" : "a path begins with $")
        }
        var components: [JSONPath.Component] = []
        while position < bytes.count {
            if components.last == .child { throw failure("nothing may follow .*") }
            if components.last == .each, !allowsInnerEach { throw failure("nothing may follow [*]") }
            if components.count == Self.maximumComponents {
                throw failure("a path has at most \(Self.maximumComponents) parts")
            }
            if take(".") {
                components.append(take("*") ? .child : .member(try name()))
            } else if take("[") {
                components.append(try subscripted())
            } else {
                throw failure("after a part comes '.' or '['")
            }
        }
        return components
    }

    private mutating func name() throws(JSONPathError) -> String {
        take("\"") ? try quotedName() : try plainName()
    }

    private mutating func plainName() throws(JSONPathError) -> String {
        let start = position
        while let byte = peek(), byte != UInt8(ascii: "."), byte != UInt8(ascii: "[") {
            switch byte {
            case UInt8(ascii: "*"): throw failure("each element is written [*], each member .*")
            case UInt8(ascii: "\""), UInt8(ascii: "]"), 0...0x1F:
                throw failure("a name with such a character is written in double quotes, as in $.\"a]b\"")
            default: position += 1
            }
        }
        guard position > start else { throw failure("a member name is missing") }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func quotedName() throws(JSONPathError) -> String {
        var name: [UInt8] = []
        while let byte = peek() {
            position += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: name, as: UTF8.self) }
            guard byte == UInt8(ascii: "\\") else {
                name.append(byte)
                continue
            }
            guard let escaped = peek(), escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") else {
                throw failure("inside quotes a backslash stands before \" or \\ only")
            }
            name.append(escaped)
            position += 1
        }
        throw failure("the closing quote is missing")
    }

    private mutating func subscripted() throws(JSONPathError) -> JSONPath.Component {
        if take("*") {
            guard take("]") else { throw failure("']' is missing") }
            return .each
        }
        let start = position
        var index = 0
        while let byte = peek(), case UInt8(ascii: "0")...UInt8(ascii: "9") = byte {
            let (tens, overflow) = index.multipliedReportingOverflow(by: 10)
            let (sum, overflowed) = tens.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
            guard !overflow, !overflowed else { throw failure("the index is too large") }
            index = sum
            position += 1
        }
        guard position > start else {
            throw failure("in brackets stands * or an index counted from 0; counting from the end is not possible")
        }
        guard take("]") else { throw failure("']' is missing") }
        return .index(index)
    }

    private func peek() -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private func failure(_ problem: String) -> JSONPathError {
        JSONPathError(path: text, offset: position, problem: problem)
    }
}

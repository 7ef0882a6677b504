import Foundation
import Siding
import SidingChain
import SidingJSON

/// One object of `--json` output on one line. A member whose value is nil is left out.
struct JSONObject: ExpressibleByDictionaryLiteral, JSONMemberValue {
    private var members: [(name: String, value: any JSONMemberValue)] = []

    init(dictionaryLiteral members: (String, (any JSONMemberValue)?)...) {
        for (name, value) in members { add(name, value) }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    var bytes: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for member in members {
            writer.name(member.name)
            member.value.write(to: &writer)
        }
        writer.endObject()
    }

    mutating func add(_ name: String, _ value: (any JSONMemberValue)?) {
        if let value { members.append((name, value)) }
    }

    /// Adds the members of `other`.
    mutating func add(_ other: JSONObject?) { members += other?.members ?? [] }

    /// Adds a body: as JSON if it is valid JSON, as a string if it is text, else in Base64 under `NAME_base64`.
    mutating func body(_ name: String, _ bytes: [UInt8]) {
        if (try? JSONDocument(bytes)) != nil {
            add(name, JSONText(bytes))
        } else if let text = String(validating: bytes, as: UTF8.self) {
            add(name, text)
        } else {
            add("\(name)_base64", Data(bytes).base64EncodedString())
        }
    }
}

/// A value of a ``JSONObject``.
protocol JSONMemberValue {
    func write(to writer: inout JSONWriter)
}

/// JSON as it is stored, written without the whitespace between its tokens.
struct JSONText: JSONMemberValue {
    static let null = JSONText(Array("null".utf8))

    private let bytes: [UInt8]

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    func write(to writer: inout JSONWriter) { bytes.withUnsafeBytes { writer.raw($0) } }
}

extension String: JSONMemberValue {
    func write(to writer: inout JSONWriter) { writer.string(self) }
}

extension Int: JSONMemberValue {
    func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Int64: JSONMemberValue {
    func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Bool: JSONMemberValue {
    func write(to writer: inout JSONWriter) { writer.bool(self) }
}

extension Double: JSONMemberValue {
    func write(to writer: inout JSONWriter) { writer.double(self) }
}

extension Timestamp: JSONMemberValue {
    func write(to writer: inout JSONWriter) { writer.string(rfc3339) }
}

extension Array: JSONMemberValue where Element: JSONMemberValue {
    func write(to writer: inout JSONWriter) {
        writer.beginArray()
        for element in self { element.write(to: &writer) }
        writer.endArray()
    }
}

// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import Siding
package import SidingChain
package import SidingJSON

/// One object of `--json` output on one line. A member whose value is nil is left out.
package struct JSONObject: ExpressibleByDictionaryLiteral, JSONMemberValue {
    private var members: [(name: String, value: any JSONMemberValue)] = []

    package init(dictionaryLiteral members: (String, (any JSONMemberValue)?)...) {
        for (name, value) in members { add(name, value) }
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package var bytes: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for member in members {
            writer.name(member.name)
            member.value.write(to: &writer)
        }
        writer.endObject()
    }

    package mutating func add(_ name: String, _ value: (any JSONMemberValue)?) {
        if let value { members.append((name, value)) }
    }

    /// Adds the members of `other`.
    package mutating func add(_ other: JSONObject?) { members += other?.members ?? [] }

    /// Adds a body: as JSON if it is valid JSON, as a string if it is text, else in Base64 under `NAME_base64`.
    package mutating func body(_ name: String, _ bytes: [UInt8]) {
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
package protocol JSONMemberValue {
    func write(to writer: inout JSONWriter)
}

/// JSON as it is stored, written without the whitespace between its tokens.
package struct JSONText: JSONMemberValue {
    package static let null = JSONText(Array("null".utf8))

    private let bytes: [UInt8]

    package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    package func write(to writer: inout JSONWriter) { bytes.withUnsafeBytes { writer.raw($0) } }
}

extension String: JSONMemberValue {
    package func write(to writer: inout JSONWriter) { writer.string(self) }
}

extension Int: JSONMemberValue {
    package func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Int64: JSONMemberValue {
    package func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Bool: JSONMemberValue {
    package func write(to writer: inout JSONWriter) { writer.bool(self) }
}

extension Double: JSONMemberValue {
    package func write(to writer: inout JSONWriter) { writer.double(self) }
}

extension Timestamp: JSONMemberValue {
    package func write(to writer: inout JSONWriter) { writer.string(rfc3339) }
}

extension Array: JSONMemberValue where Element: JSONMemberValue {
    package func write(to writer: inout JSONWriter) {
        writer.beginArray()
        for element in self { element.write(to: &writer) }
        writer.endArray()
    }
}

import Foundation
import Siding
import SidingChain
import SidingJSON

/// Writes one object of `--json` output on one line, member by member.
struct JSONObject {
    private var writer = JSONWriter()

    init() {
        writer.beginObject()
    }

    /// The finished object.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The finished object in UTF-8.
    var bytes: [UInt8] {
        var finished = writer
        finished.endObject()
        return finished.bytes
    }

    mutating func string(_ name: String, _ value: String) {
        writer.name(name)
        writer.string(value)
    }

    /// Omits the member if the value is nil.
    mutating func optional(_ name: String, _ value: String?) {
        if let value { string(name, value) }
    }

    mutating func int(_ name: String, _ value: some BinaryInteger) {
        writer.name(name)
        writer.integer(value)
    }

    /// Omits the member if the value is nil.
    mutating func optional(_ name: String, _ value: Int?) {
        if let value { int(name, value) }
    }

    mutating func bool(_ name: String, _ value: Bool) {
        writer.name(name)
        writer.bool(value)
    }

    mutating func null(_ name: String) {
        writer.name(name)
        writer.null()
    }

    mutating func double(_ name: String, _ value: Double) {
        writer.name(name)
        writer.double(value)
    }

    mutating func time(_ name: String, _ moment: Timestamp) { string(name, moment.rfc3339) }

    /// Omits the member if the value is nil.
    mutating func optional(_ name: String, _ moment: Timestamp?) {
        if let moment { time(name, moment) }
    }

    /// Adds a stored JSON value without the whitespace between its tokens.
    mutating func raw(_ name: String, _ json: [UInt8]) {
        writer.name(name)
        json.withUnsafeBytes { writer.raw($0) }
    }

    /// Adds a body: as JSON if it is valid JSON, as a string if it is text, else in Base64 under `NAME_base64`.
    mutating func body(_ name: String, _ bytes: [UInt8]) {
        if (try? JSONDocument(bytes)) != nil {
            raw(name, bytes)
        } else if let text = String(validating: bytes, as: UTF8.self) {
            string(name, text)
        } else {
            string("\(name)_base64", Data(bytes).base64EncodedString())
        }
    }

    mutating func object(_ name: String, _ members: (inout JSONObject) -> Void) {
        var inner = JSONObject()
        members(&inner)
        raw(name, inner.bytes)
    }

    mutating func array(_ name: String, _ objects: [JSONObject]) {
        writer.name(name)
        writer.beginArray()
        for object in objects { object.bytes.withUnsafeBytes { writer.raw($0) } }
        writer.endArray()
    }

    mutating func strings(_ name: String, _ values: [String]) {
        writer.name(name)
        writer.beginArray()
        for value in values { writer.string(value) }
        writer.endArray()
    }
}

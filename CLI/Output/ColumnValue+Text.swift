// SPDX-License-Identifier: Apache-2.0
import Foundation
import Siding
import SidingInspection
import SidingJSON
import SidingSQLite

/// What exports and queries print of a value.
extension ColumnValue {
    /// The text of a field in a table: strings unquoted, other values as their JSON; nil for null.
    var field: [UInt8]? {
        switch self {
        case .cell(.null): nil
        case .cell(.integer(let number)): Array(String(number).utf8)
        case .cell(.real(let number)): Array(number.description.utf8)
        case .cell(.text(let text)): Array(text.utf8)
        case .cell(.blob(let bytes)): Array(Self.literal(bytes).utf8)
        case .json(let json): Self.field(json)
        }
    }

    private static func field(_ json: [UInt8]) -> [UInt8]? {
        switch json.first {
        case UInt8(ascii: "\""):
            json.withUnsafeBytes { json in
                // Half of a surrogate pair cannot be decoded; the JSON is kept.
                JSONMembers.value(at: .root, in: json)?.string(in: json).map { Array($0.utf8) } ?? Array(json)
            }
        case UInt8(ascii: "n"): nil
        default: json
        }
    }

    /// The bytes as SQL writes them.
    private static func literal(_ bytes: [UInt8]) -> String {
        "x'" + bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "'"
    }

    /// Adds the value to an object of `--json`; bytes are in Base64.
    func add(_ name: String, to object: inout JSONObject) {
        switch self {
        case .cell(.null): object.add(name, JSONText.null)
        case .cell(.integer(let number)): object.add(name, number)
        case .cell(.real(let number)): object.add(name, number)
        case .cell(.text(let text)): object.add(name, text)
        case .cell(.blob(let bytes)): object.add(name, Data(bytes).base64EncodedString())
        case .json(let json): object.add(name, JSONText(json))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
package import SidingSQLite

/// The value of a column, as exports and queries yield it.
///
/// SQL has neither true nor objects. ``init(_:as:)`` is the one place that makes JSON of what SQL shows, so that a value has
/// the same type through every door.
package enum ColumnValue: Sendable, Hashable {
    /// A value whose type SQL has too.
    case cell(SQLiteValue)
    /// JSON text, so that numbers keep their digits and Booleans their type.
    case json([UInt8])
}

extension ColumnValue {
    /// - Parameter form: the JSON that values of the column stand for.
    init(_ value: SQLiteValue, as form: ValueForm) {
        switch value {
        case .integer(0) where form.contains(.boolean): self = .json(Array("false".utf8))
        case .integer(1) where form.contains(.boolean): self = .json(Array("true".utf8))
        case .text(let text) where form.isJSON(text): self = .json(Array(text.utf8))
        default: self = .cell(value)
        }
    }
}

/// The JSON that the SQL values of a column stand for.
struct ValueForm: OptionSet, Hashable {
    let rawValue: Int

    /// The integers 0 and 1 are false and true.
    static let boolean = ValueForm(rawValue: 1)
    /// A text is the JSON of any value.
    static let document = ValueForm(rawValue: 2)
    /// A text that is an object or an array in JSON is that.
    static let nested = ValueForm(rawValue: 4)
    /// A text that is a number in JSON is that: it has more digits than a number of SQL keeps.
    static let digits = ValueForm(rawValue: 8)

    /// Whether `text` stands for the JSON that it is.
    func isJSON(_ text: String) -> Bool {
        guard let first = text.utf8.first else { return false }
        let mayBe =
            switch first {
            case UInt8(ascii: "{"), UInt8(ascii: "["): !isDisjoint(with: [.document, .nested])
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): !isDisjoint(with: [.document, .digits])
            default: contains(.document)
            }
        return mayBe && (try? JSONDocument(text)) != nil
    }
}

extension ValueForm {
    /// The form of a declared column; nil if the type is the one of each value.
    init?(_ type: ColumnType) {
        switch type {
        case .any: return nil
        // Values of other types are shown unchanged, so each of these may show an object.
        case .boolean: self = [.boolean, .nested]
        case .integer, .real, .decimal: self = [.digits, .nested]
        case .datetime, .date: self = .nested
        case .text: self = []
        case .json: self = .document
        }
    }

    /// The form of a column without a type, whose values were seen with these JSON types.
    init(_ kinds: FieldKinds) {
        self = []
        if kinds.contains(.boolean), !kinds.contains(.number) { insert(.boolean) }
        if !kinds.isDisjoint(with: [.object, .array]) { insert(.nested) }
    }
}

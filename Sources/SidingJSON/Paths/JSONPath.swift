// SPDX-License-Identifier: Apache-2.0
/// The location of a value in a JSON document, in SQLite's notation: `$`, `$.a.b`, `$."quoted name"`, `$.list[0]`, with
/// a trailing `[*]` for "each element".
///
/// Rules: https://sqlite.org/json1.html#path_arguments. Three differences: `[*]` and `.*` (only at the end) are Siding's own,
/// `[#-1]` is not supported, and inside quotes `\"` and `\\` stand for a quote and a backslash.
public struct JSONPath: Sendable, Hashable, CustomStringConvertible {
    /// One step of a path.
    public enum Component: Sendable, Hashable {
        /// `.a` or `."a b"`: the member of an object.
        case member(String)
        /// `[0]`: the element of an array, from 0.
        case index(Int)
        /// `[*]`: each element of an array.
        case each
        /// `.*`: each member of an object, or each element of an array.
        case child
        /// `$key`, which stands alone: ``JSONPath/memberName``.
        case name
        /// `lines`, which stands alone: ``JSONPath/lines``.
        case line
    }

    /// The steps from the root of the document inwards; none for `$` itself.
    public let components: [Component]

    /// The whole document, `$`.
    public static let root = JSONPath(components: [])
    /// The name of the member that holds the record, `$key`, as a key of records at `$.items.*`.
    public static let memberName = JSONPath(components: [.name])
    /// The lines of a page, `lines`: each is a record (NDJSON, JSON Lines).
    public static let lines = JSONPath(components: [.line])

    init(components: [Component]) {
        self.components = components
    }

    /// A member of the root object. The name is used literally, including dots.
    public init(member name: String) {
        components = [.member(name)]
    }

    /// Nested members, outermost first.
    public init(members names: [String]) {
        self.init(components: names.map(Component.member))
    }

    /// Parses a path that begins with `$`.
    ///
    /// - Parameters:
    ///   - text: the path, such as `$.data.items[*]`.
    ///   - allowsInnerEach: whether more may follow `[*]`; only ``JSONDocument/values(at:)`` reads such paths.
    /// - Throws: `JSONPathError` with the byte offset of the problem and what to write instead.
    public init(parsing text: String, allowsInnerEach: Bool = false) throws(JSONPathError) {
        var parser = JSONPathParser(text, allowsInnerEach: allowsInnerEach)
        components = try parser.parse()
    }

    /// Whether the path has `[*]` or `.*`, and so more than one value.
    package var isOfSeveral: Bool { components.contains(.each) || components.contains(.child) }

    /// The path without a trailing `[*]` or `.*`: the array or object itself.
    package var withoutEach: JSONPath {
        components.last == .each || components.last == .child ? JSONPath(components: components.dropLast()) : self
    }

    /// The path in SQLite's notation; names are quoted unless they consist of ASCII letters, digits and `_`.
    public var description: String {
        components.reduce(into: "$") { text, component in
            switch component {
            case .member(let name): text += "." + Self.quoted(name)
            case .index(let index): text += "[\(index)]"
            case .each: text += "[*]"
            case .child: text += ".*"
            case .name: text = "$key"
            case .line: text = "lines"
            }
        }
    }

    private static func quoted(_ name: String) -> String {
        let plain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        if plain, !name.isEmpty { return name }
        let escaped = name.unicodeScalars.reduce(into: "") { text, scalar in
            if scalar == "\"" || scalar == "\\" { text += "\\" }
            text.unicodeScalars.append(scalar)
        }
        return "\"" + escaped + "\""
    }
}

extension JSONPath {
    /// This path plus one component.
    public func appending(_ component: Component) -> JSONPath {
        JSONPath(components: withoutEach.components + [component])
    }

    /// This path followed by another one.
    public func appending(_ path: JSONPath) -> JSONPath {
        path.components.isEmpty ? self : JSONPath(components: withoutEach.components + path.components)
    }
}

/// Why a JSON path could not be parsed, with the byte offset.
public struct JSONPathError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path as it was given.
    public let path: String
    /// Zero-based, in UTF-8 bytes of the path.
    public let offset: Int
    /// The problem there and what to write instead.
    public let problem: String

    public var description: String {
        "\"\(PlainText.oneLine(path, limit: 80))\" is not a JSON path: \(problem) (at byte \(offset))"
    }
}

/// In its written form.
extension JSONPath: Codable {
    public init(from decoder: any Decoder) throws {
        try self.init(written: String(from: decoder))
    }

    /// The path of a description; unlike ``init(parsing:allowsInnerEach:)`` it knows `$key` and `lines`.
    private init(written text: String) throws(JSONPathError) {
        switch text {
        case Self.memberName.description: self = .memberName
        case Self.lines.description: self = .lines
        default: try self.init(parsing: text)
        }
    }

    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

/// A path in a program's source: `.envelope(at: "$.data")`.
extension JSONPath: ExpressibleByStringLiteral {
    /// Takes a literal as ``init(parsing:allowsInnerEach:)`` takes a text, and `$key` and `lines`, too.
    ///
    /// A literal that is not a path is a mistake in the program: it ends there with the message of ``JSONPathError``. For a
    /// text that is known at run time only, there is ``init(parsing:allowsInnerEach:)``, which throws it.
    public init(stringLiteral text: String) {
        do throws(JSONPathError) { try self.init(written: text) } catch { fatalError("\(error)") }
    }
}

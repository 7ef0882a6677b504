// SPDX-License-Identifier: Apache-2.0
import Foundation
import Subprocess

/// What a child left behind.
struct Outcome: Sendable {
    /// The exit code; 128 and the signal's number where a signal ended it, as a shell says it.
    let status: Int32
    /// The signal that ended it; nil where it exited, whatever its status.
    let signal: Int32?
    let output: String
    let error: String

    init(_ status: TerminationStatus, output: [UInt8], error: [UInt8]) {
        switch status {
        case .exited(let code): (self.status, signal) = (code, nil)
        case .signaled(let number): (self.status, signal) = (128 + number, number)
        }
        self.output = String(decoding: output, as: UTF8.self)
        self.error = String(decoding: error, as: UTF8.self)
    }

    /// Both streams: what a person sees.
    var everything: String { output + error }

    var lines: [Substring] { output.split(separator: "\n", omittingEmptySubsequences: true) }

    /// Standard output as JSON Lines: every line one object, each ended by a line break.
    func objects() throws -> [[String: JSONValue]] {
        guard !output.isEmpty else { return [] }
        guard output.hasSuffix("\n") else { throw NotJSONLines(text: output) }
        return try output.dropLast().split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard case .object(let members) = try JSONDecoder().decode(JSONValue.self, from: Data(line.utf8)) else {
                throw NotJSONLines(text: String(line))
            }
            return members
        }
    }

    /// Standard output as exactly one object.
    func object() throws -> [String: JSONValue] {
        let all = try objects()
        guard all.count == 1 else { throw NotJSONLines(text: output) }
        return all[0]
    }

    /// Whether bytes stand in the output that a terminal would act upon.
    var hasControlCharacters: Bool {
        everything.unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x09, 0x0A: false
            case 0x00...0x1F, 0x7F...0x9F, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
            default: false
            }
        }
    }
}

struct NotJSONLines: Error {
    let text: String
}

/// A JSON value of any shape.
enum JSONValue: Sendable, Hashable, Decodable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let array = try? container.decode([JSONValue].self) {
            self = .array(array)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    var string: String? { if case .string(let string) = self { string } else { nil } }
    var int: Int? { if case .number(let number) = self { Int(number) } else { nil } }
    var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
    var array: [JSONValue]? { if case .array(let array) = self { array } else { nil } }
    var members: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }

    subscript(name: String) -> JSONValue? { members?[name] }
}

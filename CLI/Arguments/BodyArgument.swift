// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingJSON

/// A body on the command line: the text itself, `@file`, or `-` for standard input.
enum BodyArgument {
    /// Reads the bytes of a body.
    ///
    /// - Throws: ``CommandError`` with code 66 for an unreadable file, 64 for a body larger than the queue accepts; reading stops there.
    static func read(_ argument: String) throws -> [UInt8] {
        if argument == "-" { return try bytes(of: FileHandle.standardInput, "standard input") }
        guard argument.hasPrefix("@") else { return Array(argument.utf8) }
        let path = String(argument.dropFirst())
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw CommandError.notFound("the body's file \(PlainText.oneLine(path)) cannot be opened")
        }
        defer { try? file.close() }
        return try bytes(of: file, path)
    }

    private static let piece = 1 << 20

    private static func bytes(of file: FileHandle, _ name: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            while let piece = try file.read(upToCount: piece), !piece.isEmpty, bytes.count <= WriteRequest.bodyLimit {
                bytes += piece
            }
        } catch {
            throw CommandError.notFound("\(PlainText.oneLine(name)) cannot be read")
        }
        guard bytes.count <= WriteRequest.bodyLimit else {
            throw CommandError(
                .usage, "too_large",
                "\(PlainText.oneLine(name)) holds more than \(MessageFormat.size(WriteRequest.bodyLimit)), the maximum in the queue",
                hint: "nothing was stored; send a larger body without the queue")
        }
        return bytes
    }

    /// Checks that a body with a JSON content type is valid JSON; the origin would refuse it only later.
    ///
    /// - Throws: ``CommandError`` with code 65 and the position of the fault.
    static func check(_ body: [UInt8], contentType: String?) throws {
        let type = contentType?.lowercased().prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces) ?? ""
        guard type == "application/json" || type.hasSuffix("+json") else { return }
        do { _ = try JSONDocument(body) } catch {
            throw CommandError(
                .data, "invalid_json", "the body is not JSON: \(error)",
                hint: "to send another type: -H 'Content-Type: …'")
        }
    }
}

/// Header fields on the command line.
enum HeaderArguments {
    static func fields(_ arguments: [String]) throws -> HTTPFields {
        var fields = HTTPFields()
        for argument in arguments {
            let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = HTTPField.Name(parts[0].trimmingCharacters(in: .whitespaces)) else {
                throw CommandError.usage(
                    "a header field must have the form 'Name: value'",
                    hint: "the value is not shown, as it may be a secret")
            }
            let value = parts[1].trimmingCharacters(in: .whitespaces)
            guard HTTPField.isValidValue(value) else {
                throw CommandError.usage("the value of the header field '\(name)' holds control characters")
            }
            fields.append(HTTPField(name: name, value: value))
        }
        return fields
    }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import Siding
import SidingChain
import SidingJSON

/// The statement of a query: text on the command line, `-` for standard input, or a file.
enum StatementArgument {
    /// The maximum length of a statement in SQLite, as Siding opens it.
    private static let limit = 1 << 20

    /// - Throws: ``CommandError`` with code 66 for a file that cannot be read, 64 for a longer text and for one that is not UTF-8.
    static func read(_ argument: String) throws -> String {
        argument == "-" ? try text(of: .standardInput, "standard input") : argument
    }

    /// - Throws: like ``read(_:)``.
    static func read(fromFile path: String) throws -> String {
        if path == "-" { return try read(path) }
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw CommandError.notFound("the statement's file \(PlainText.oneLine(path)) cannot be opened")
        }
        defer { try? file.close() }
        return try text(of: file, path)
    }

    private static func text(of file: FileHandle, _ name: String) throws -> String {
        let shown = PlainText.oneLine(name, limit: 300)
        var bytes: [UInt8] = []
        do {
            while let piece = try file.read(upToCount: limit), !piece.isEmpty, bytes.count <= limit { bytes += piece }
        } catch {
            throw CommandError.notFound("\(shown) cannot be read")
        }
        guard bytes.count <= limit else {
            throw CommandError.usage(
                "\(shown) holds more than \(MessageFormat.size(limit)), the maximum of a statement")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError.usage("\(shown) is not a text in UTF-8")
        }
        return text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
    }
}

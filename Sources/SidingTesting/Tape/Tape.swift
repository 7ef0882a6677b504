// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSynchronization
internal import FoundationEssentials

/// Exchanges with an origin, stored in a file so that tests can replay them without a network.
///
/// ``RecordingTransport`` makes one, ``ReplayingTransport`` replays one. The file is JSON (UTF-8), meant to be read, compared
/// line by line, and edited:
///
/// ```json
/// {
///   "format": "siding-tape",
///   "version": 1,
///   "exchanges": [
///     {
///       "request": {
///         "method": "POST",
///         "url": "https://api.example.com/issues?token=scrubbed",
///         "headerFields": [{ "name": "Content-Type", "value": "application/json" }],
///         "body": { "text": "{\"title\":\"one\"}" }
///       },
///       "answer": {
///         "status": 201,
///         "headerFields": [{ "name": "ETag", "value": "\"1\"" }],
///         "body": { "base64": "/w==" },
///         "length": 1
///       }
///     },
///     {
///       "request": { "method": "GET", "url": "https://api.example.com/issues", "headerFields": [] },
///       "failure": { "reason": "timeout", "stage": "response", "phase": "maybe_sent" }
///     }
///   ]
/// }
/// ```
///
/// - `request.body` is omitted if there was none. Bodies are `text` if they are UTF-8, otherwise `base64`; `"cut": true` means
///   that only the start was recorded. In a hand-written tape a response body may be plain `json`.
/// - `answer.url` is present only if the response came from another URL than requested (after redirects); `answer.length` only
///   if the origin declared it; `answer.brokenBy` is the failure that ended the body.
/// - A `failure` has `reason` and `phase`, the values of its reason (`stage`, `fault`, `limit`, `system`, `http`), and `node`,
///   `method`, `url`, `detail` if known.
///
/// A file of a newer version is rejected. Unknown members are ignored: use `comment`, for example, to describe the source of a
/// tape.
public struct Tape: Sendable {
    /// The version of new files, and the newest that can be read.
    public static let version = 1
    static let format = "siding-tape"

    /// The exchanges, in the order in which the requests were sent.
    public var exchanges: [Exchange]

    /// A tape for a test that writes its exchanges itself; without any, every request fails.
    public init(exchanges: [Exchange] = []) {
        self.exchanges = exchanges
    }

    /// Reads a file.
    ///
    /// - Throws: ``TapeError`` if it cannot be read, is not a tape, is damaged, or has a newer version.
    public init(contentsOf path: String) throws(TapeError) {
        let data: Data
        do { data = try Data(contentsOf: URL(filePath: path)) } catch {
            throw TapeError(
                path: path, "it cannot be read (\(PlainText.oneLine("\(error)", limit: 200))); record it first")
        }
        do { self = try JSONDecoder().decode(Tape.self, from: data) } catch let fault as Fault {
            throw TapeError(path: path, fault.message)
        } catch {
            throw TapeError(path: path, "it is damaged (\(Self.place(of: error))); record it anew")
        }
    }

    /// Writes a file with mode 0600, atomically: a reader sees the old tape or this one.
    ///
    /// - Throws: ``TapeError`` with the error of the file system.
    public func write(to path: String) throws(TapeError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data: Data
        do { data = try encoder.encode(self) } catch {
            throw TapeError(path: path, "it cannot be written as JSON (\(PlainText.oneLine("\(error)", limit: 200)))")
        }
        do { try FileSystem.replace(path, with: [UInt8](data) + [UInt8(ascii: "\n")]) } catch {
            throw TapeError(path: path, "it cannot be written: \(error.message)")
        }
    }

    private static func place(of error: any Error) -> String {
        guard let context = (error as? DecodingError)?.context else { return PlainText.oneLine("\(error)", limit: 200) }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        return PlainText.oneLine("at $\(path): \(context.debugDescription)", limit: 300)
    }
}

extension Tape: Codable {
    private enum CodingKeys: CodingKey { case format, version, exchanges }

    struct Fault: Error {
        let message: String
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard try container.decodeIfPresent(String.self, forKey: .format) == Self.format else {
            throw Fault(message: "it is not a tape: its `format` is not \"\(Self.format)\"")
        }
        let version = try container.decode(Int.self, forKey: .version)
        guard (1...Self.version).contains(version) else {
            throw Fault(
                message:
                    "it is of version \(version), and versions up to \(Self.version) are read here; update Siding, "
                    + "or record it anew")
        }
        exchanges = try container.decode([Exchange].self, forKey: .exchanges)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.format, forKey: .format)
        try container.encode(Self.version, forKey: .version)
        try container.encode(exchanges, forKey: .exchanges)
    }
}

/// Why a tape file could not be used: the file, the problem, and what to do.
public struct TapeError: Error, Sendable, CustomStringConvertible {
    /// The file that could not be used.
    public let path: String
    /// The whole message, the path included.
    public let description: String

    init(path: String, _ message: String) {
        self.path = path
        description = "tape '\(PlainText.oneLine(path, limit: 200))': \(message)"
    }
}

internal import SidingJSON
internal import FoundationEssentials

/// Exchanges with an origin, kept in a file so that a test can have them again without a network.
///
/// ``RecordingTransport`` makes one, ``ReplayingTransport`` answers from one. The file is JSON (UTF-8), made to be read, to
/// be compared line by line, and to be edited:
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
/// - `request.body` is left out where none was sent. Bodies are `text` where they are UTF-8, else `base64`; `"cut": true`
///   says that not all of it passed the recorder. Who writes a tape by hand may give an answer as the `json` that it is.
/// - `answer.url` stands only where the answer came from elsewhere than was asked (after redirects); `answer.length` only
///   where the origin declared it; `answer.brokenBy` is the failure that the body ended in.
/// - A `failure` has `reason` and `phase`, what belongs to its reason (`stage`, `fault`, `limit`, `system`, `http`), and
///   `node`, `method`, `url`, `detail` where they are known.
///
/// A file of a newer version is refused; members that this version does not know are ignored: `comment` is a good name for
/// where a tape comes from.
public struct Tape: Sendable {
    /// The version that is written, and the newest that is read.
    public static let version = 1
    static let format = "siding-tape"

    /// In the order in which the requests were sent.
    public var exchanges: [Exchange]

    public init(exchanges: [Exchange] = []) {
        self.exchanges = exchanges
    }

    /// Reads a file.
    ///
    /// - Throws: ``TapeError`` where it cannot be read, is no tape, is damaged, or is of a newer version.
    public init(contentsOf path: String) throws(TapeError) {
        let data: Data
        do { data = try Data(contentsOf: URL(filePath: path)) } catch {
            throw TapeError(
                path: path, "it cannot be read (\(PlainText.oneLine("\(error)", limit: 200))); record it first")
        }
        do { self = try JSONDecoder().decode(Tape.self, from: data) } catch let fault as Fault {
            throw TapeError(path: path, fault.words)
        } catch {
            throw TapeError(path: path, "it is damaged (\(Self.place(of: error))); record it anew")
        }
    }

    /// Writes a file, mode 0600, in one step: a reader sees the earlier tape or this one.
    ///
    /// - Throws: ``TapeError`` with what the file system said.
    public func write(to path: String) throws(TapeError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data: Data
        do { data = try encoder.encode(self) } catch {
            throw TapeError(path: path, "it cannot be written as JSON (\(PlainText.oneLine("\(error)", limit: 200)))")
        }
        try PrivateFile.replace(path, with: [UInt8](data) + [UInt8(ascii: "\n")])
    }

    private static func place(of error: any Error) -> String {
        let context: DecodingError.Context? =
            switch error as? DecodingError {
            case .keyNotFound(_, let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
                .dataCorrupted(let context):
                context
            default: nil
            }
        guard let context else { return PlainText.oneLine("\(error)", limit: 200) }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        return PlainText.oneLine("at $\(path): \(context.debugDescription)", limit: 300)
    }
}

extension Tape: Codable {
    private enum CodingKeys: CodingKey { case format, version, exchanges }

    struct Fault: Error {
        let words: String
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard try container.decodeIfPresent(String.self, forKey: .format) == Self.format else {
            throw Fault(words: "it is no tape: its `format` is not \"\(Self.format)\"")
        }
        let version = try container.decode(Int.self, forKey: .version)
        guard (1...Self.version).contains(version) else {
            throw Fault(
                words: "it is of version \(version), and versions up to \(Self.version) are read here; update Siding, "
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

/// Why a tape's file could not be used: which file, what is wrong, what to do.
public struct TapeError: Error, Sendable, CustomStringConvertible {
    public let path: String
    public let description: String

    init(path: String, _ words: String) {
        self.path = path
        description = "tape '\(PlainText.oneLine(path, limit: 200))': \(words)"
    }
}

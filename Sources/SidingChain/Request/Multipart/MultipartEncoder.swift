internal import HTTPTypes
internal import SidingSynchronization

/// A form in the shape in which it is sent: its type, its exact length, and its bytes as often as they are asked for.
package struct MultipartBody: Sendable {
    /// `multipart/form-data` with the boundary of this body.
    package let contentType: String
    /// The bytes of the whole body.
    package let length: Int
    let segments: [MultipartSegment]

    /// A stream of the known length, made anew for each attempt; the same bytes each time.
    ///
    /// Chunks have at most 256 KiB, and files are read on a queue of the stream's own. The stream throws where a file is
    /// gone or no longer has the size that it had when the body was made.
    package var requestBody: RequestBody {
        .stream(length: length) { [segments] in
            let reader = MultipartReader(segments)
            return { try await reader.next() }
        }
    }
}

/// A stretch of a body.
enum MultipartSegment: Sendable {
    case bytes([UInt8])
    case file(MultipartFile)
}

/// A file as it was when the body was made.
struct MultipartFile: Sendable {
    let path: String
    /// The field that it is sent as, for errors.
    let field: String
    let size: Int
}

/// Lays a form out as RFC 7578 says, after a look at each of its files.
package struct MultipartEncoder: Sendable {
    private let boundary: MultipartBoundary

    package init(boundary: MultipartBoundary = .random) {
        self.boundary = boundary
    }

    /// The body of `form`.
    ///
    /// - Parameter declaredType: the `Content-Type` that the request has already; it is kept, with a boundary added where
    ///   it names none.
    /// - Throws: ``Failure/Reason/invalidRequest``, not sent, for a file that is missing, unreadable, or no regular
    ///   file, for a content type that is no field value, and for a declared type that is not multipart;
    ///   ``Failure/Reason/localResource`` where the system has no file descriptor or memory left.
    package func encode(_ form: MultipartForm, declaredType: String? = nil) async throws(Failure) -> MultipartBody {
        let type = try MultipartContentType(declared: declaredType, boundary: boundary)
        let files = form.parts.contains { if case .file = $0.content { true } else { false } }
        let segments =
            files
            ? try await SerialWorker(label: "siding.multipart").run { () throws(Failure) in
                try Self.segments(of: form, type.boundary)
            }
            : try Self.segments(of: form, type.boundary)
        return MultipartBody(contentType: type.text, length: try Self.length(of: segments), segments: segments)
    }

    private static func segments(of form: MultipartForm, _ boundary: String) throws(Failure) -> [MultipartSegment] {
        var segments: [MultipartSegment] = []
        for part in form.parts {
            segments.append(.bytes(try head(of: part, boundary)))
            switch part.content {
            case .bytes(let bytes): segments.append(.bytes(bytes))
            case .file(let path): segments.append(.file(try file(path, part.name)))
            }
            segments.append(.bytes(Array("\r\n".utf8)))
        }
        segments.append(.bytes(Array("--\(boundary)--\r\n".utf8)))
        return segments
    }

    private static func head(of part: MultipartForm.Part, _ boundary: String) throws(Failure) -> [UInt8] {
        var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(escaped(part.name))\""
        if let filename = part.filename { head += "; filename=\"\(escaped(filename))\"" }
        if let type = part.contentType {
            guard !type.isEmpty, HTTPField.isValidValue(type) else {
                throw Failure(
                    .invalidRequest, phase: .notSent,
                    detail: "the content type of the field '\(part.name)' is no field value")
            }
            head += "\r\nContent-Type: \(type)"
        }
        return Array((head + "\r\n\r\n").utf8)
    }

    /// Escapes what would end a name, as the WHATWG's HTML standard says ("multipart form data"); all else is UTF-8 as it
    /// is, the percent sign too.
    private static func escaped(_ name: String) -> String {
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": escaped += "%22"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func file(_ path: String, _ field: String) throws(Failure) -> MultipartFile {
        let file = try LocalFile(path, field: field, phase: .notSent)
        return MultipartFile(path: path, field: field, size: try file.size())
    }

    private static func length(of segments: [MultipartSegment]) throws(Failure) -> Int {
        var length = 0
        for segment in segments {
            let (sum, isTooLarge) = length.addingReportingOverflow(segment.length)
            guard !isTooLarge else {
                throw Failure(.invalidRequest, phase: .notSent, detail: "the files are too large to be sent together")
            }
            length = sum
        }
        return length
    }
}

extension MultipartSegment {
    var length: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(let file): file.size
        }
    }
}

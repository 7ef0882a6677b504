// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
package import SidingChain
internal import SidingSynchronization

/// A form ready to be sent: its content type, its exact length, and its bytes, which can be read repeatedly.
package struct MultipartBody: Sendable {
    /// `multipart/form-data` with this body's boundary.
    package let contentType: String
    /// The length of the whole body in bytes.
    package let length: Int
    let segments: [MultipartSegment]

    /// A stream of known length, created anew for each attempt; always the same bytes.
    ///
    /// Chunks have at most 256 KiB, and files are read on the stream's own queue. The stream throws if a file is missing or its
    /// size has changed since the body was made.
    package var requestBody: EncodedBody {
        .stream(length: length) { [segments] in
            let reader = MultipartReader(segments)
            return { try await reader.next() }
        }
    }
}

/// A section of a body.
enum MultipartSegment: Sendable {
    case bytes([UInt8])
    case file(MultipartFile)
}

/// A file's state when the body was made.
struct MultipartFile: Sendable {
    let path: String
    /// The form field of the file, for errors.
    let field: String
    let size: Int
}

/// Encodes a form as RFC 7578 specifies, after checking each of its files.
package struct MultipartEncoder: Sendable {
    private let boundary: MultipartBoundary

    package init(boundary: MultipartBoundary = .random) {
        self.boundary = boundary
    }

    /// Encodes `form`.
    ///
    /// - Parameter declaredType: the request's existing `Content-Type`; it is kept, and a boundary is added if it has none.
    /// - Throws: `Failure.Reason.invalidRequest`, not sent, for a file that is missing, unreadable, or not a regular file,
    ///   for an invalid content type, and for a declared type that is not multipart; `Failure.Reason.localResource` if the
    ///   system has no file descriptor or memory left.
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
                    detail: "the content type of the field '\(part.name)' is not a field value")
            }
            head += "\r\nContent-Type: \(type)"
        }
        return Array((head + "\r\n\r\n").utf8)
    }

    /// Escapes the characters that would end a name, as the WHATWG's HTML standard specifies ("multipart form data"); all
    /// others, including the percent sign, are plain UTF-8.
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

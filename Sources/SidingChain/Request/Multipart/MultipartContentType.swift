internal import SidingJSON

/// The `Content-Type` of a multipart body, and the boundary that it names.
struct MultipartContentType: Sendable, Hashable {
    let text: String
    let boundary: String

    /// `multipart/form-data` with a new boundary; a type that the request declares itself is kept, and so is the boundary
    /// in it.
    ///
    /// - Throws: ``Failure/Reason/invalidRequest`` where `declared` is another kind of type, by which no origin could read
    ///   the body.
    init(declared: String?, boundary source: MultipartBoundary) throws(Failure) {
        guard let declared else {
            boundary = try source.next()
            text = "multipart/form-data; boundary=\(Self.quoted(boundary))"
            return
        }
        let pieces = Self.pieces(of: declared)
        guard let type = pieces.first, type.lowercased().hasPrefix("multipart/") else {
            throw Failure(
                .invalidRequest, phase: .notSent,
                detail:
                    "the request declares the content type '\(PlainText.oneLine(declared, limit: 100))', which cannot "
                    + "be that of a multipart body; leave the field out")
        }
        if let own = Self.boundary(in: pieces.dropFirst()) {
            boundary = try MultipartBoundary.checked(own)
            text = declared
        } else {
            boundary = try source.next()
            text = "\(declared); boundary=\(Self.quoted(boundary))"
        }
    }

    /// As a token where it is one, else between quotes (RFC 9110 §5.6.6).
    private static func quoted(_ boundary: String) -> String {
        let isToken = boundary.allSatisfy { $0.isLetter || $0.isNumber || "'+_-.".contains($0) }
        return isToken ? boundary : "\"\(boundary)\""
    }

    /// The type and its parameters: what stands between semicolons, quoted ones not counted.
    private static func pieces(of text: String) -> [String] {
        var pieces = [""]
        var isQuoted = false
        for character in text {
            if character == "\"" { isQuoted.toggle() }
            if character == ";", !isQuoted { pieces.append("") } else { pieces[pieces.count - 1].append(character) }
        }
        return pieces.map(trimmed)
    }

    private static func boundary(in parameters: some Sequence<String>) -> String? {
        for parameter in parameters {
            let halves = parameter.split(separator: "=", maxSplits: 1).map { trimmed(String($0)) }
            guard halves.count == 2, halves[0].lowercased() == "boundary" else { continue }
            let value = halves[1]
            let isQuoted = value.count >= 2 && value.hasPrefix("\"") && value.hasSuffix("\"")
            return isQuoted ? String(value.dropFirst().dropLast()) : value
        }
        return nil
    }

    private static func trimmed(_ text: String) -> String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let start = text.drop(while: isSpace)
        return String(start.reversed().drop(while: isSpace).reversed())
    }
}

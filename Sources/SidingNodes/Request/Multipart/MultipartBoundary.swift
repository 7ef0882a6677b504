// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON

/// Makes the boundaries between multipart parts; injectable so that tests can fix them.
package struct MultipartBoundary: Sendable {
    private let make: @Sendable () -> String

    /// - Parameter make: returns the boundary of each body: 1 to 70 of the characters that RFC 2046 §5.1.1 allows.
    package init(_ make: @escaping @Sendable () -> String) {
        self.make = make
    }

    /// A new random boundary for each body: 128 bits, which no content contains by chance.
    package static let random = MultipartBoundary {
        let digits = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }
        return "siding-" + digits.map { String(repeating: "0", count: 16 - $0.count) + $0 }.joined()
    }

    /// The same boundary each time; no content may contain it.
    package static func fixed(_ text: String) -> MultipartBoundary {
        MultipartBoundary { text }
    }

    /// The next boundary, validated.
    func next() throws(Failure) -> String {
        try Self.checked(make())
    }

    static func checked(_ text: String) throws(Failure) -> String {
        guard (1...70).contains(text.utf8.count), text.last != " ",
            text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "'()+_,-./:=? ".contains($0)) })
        else {
            throw Failure(
                .invalidRequest, phase: .notSent,
                detail:
                    "'\(PlainText.oneLine(text, limit: 80))' is not a multipart boundary: up to 70 letters, digits and "
                    + "'()+_,-./:=? are allowed")
        }
        return text
    }
}

/// The `Content-Type` of a multipart body and its boundary.
struct MultipartContentType: Sendable, Hashable {
    let text: String
    let boundary: String

    /// `multipart/form-data` with a new boundary. A type that the request declares is kept, together with its boundary.
    ///
    /// - Throws: `Failure.Reason.invalidRequest` if `declared` is not a multipart type: no origin could read the body.
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

    /// The boundary as a token if it is one, otherwise in quotes (RFC 9110 §5.6.6).
    private static func quoted(_ boundary: String) -> String {
        let isToken = boundary.allSatisfy { $0.isLetter || $0.isNumber || "'+_-.".contains($0) }
        return isToken ? boundary : "\"\(boundary)\""
    }

    /// The type and its parameters, split at semicolons outside quotes.
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

internal import SidingJSON

/// Where the boundaries between multipart parts come from, so that tests can fix them.
public struct MultipartBoundary: Sendable {
    private let make: @Sendable () -> String

    /// - Parameter make: gives the boundary of each body: 1 to 70 of the characters that RFC 2046 §5.1.1 allows.
    public init(_ make: @escaping @Sendable () -> String) {
        self.make = make
    }

    /// A new one for each body, from the system's randomness: 128 bits, which no content contains by chance.
    public static let random = MultipartBoundary {
        let digits = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }
        return "siding-" + digits.map { String(repeating: "0", count: 16 - $0.count) + $0 }.joined()
    }

    /// The same one each time, which no content may hold.
    public static func fixed(_ text: String) -> MultipartBoundary {
        MultipartBoundary { text }
    }

    /// The next boundary, checked.
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
                    "'\(PlainText.oneLine(text, limit: 80))' is no multipart boundary: up to 70 letters, digits and "
                    + "'()+_,-./:=? are allowed")
        }
        return text
    }
}

/// Why bytes are not one JSON document that every reader understands alike. Offsets are bytes of what was given.
public enum DocumentFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// Not JSON by RFC 8259, not UTF-8, or more of it than the limits allow.
    case syntax(JSONSyntaxError)
    /// JSON, but a name stands twice in an object, a string holds half of a surrogate pair, or a limit is passed.
    case rule(RecordFault)
    /// 4 GiB or more.
    case tooLarge(bytes: Int)

    /// Where the fault lies.
    public var offset: Int {
        switch self {
        case .syntax(let error): error.offset
        case .rule(let fault): fault.offset
        case .tooLarge: 0
        }
    }

    /// Begins with the byte and says what is wrong there; of the document's own text, at most a name.
    public var description: String {
        switch self {
        case .syntax(let error): error.description
        case .rule(let fault): fault.description
        case .tooLarge(let bytes): "the document has \(bytes) bytes; one document is read up to 4 GiB"
        }
    }

    /// At most 40 bytes around ``offset``, as one line of printable text.
    ///
    /// - Parameter document: the bytes that were read.
    public func excerpt(of document: UnsafeRawBufferPointer) -> String {
        JSONSyntaxError(problem: .expectedValue, offset: offset, found: nil).excerpt(of: document)
    }
}

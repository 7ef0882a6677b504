// SPDX-License-Identifier: Apache-2.0
/// Why bytes are not one JSON document that all readers understand alike. Offsets count bytes of the input.
public enum DocumentFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// Not JSON by RFC 8259, not UTF-8, or a limit of the reader is exceeded.
    case syntax(JSONSyntaxError)
    /// Valid JSON, but an object repeats a name, a string contains half of a surrogate pair, or a limit is exceeded.
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

    /// The byte offset and the problem; quotes at most a name from the document.
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

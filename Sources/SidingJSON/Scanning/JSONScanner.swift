/// The tokens of RFC 8259 over the bytes of one document: the only place that reads them.
///
/// A value type that lives in registers: `JSONGrammar` copies it to a local variable, so every method here that moves
/// `position` must be inlined, and what is not inlined takes and returns values.
struct JSONScanner {
    typealias Position = UnsafePointer<UInt8>

    let start: Position
    let end: Position
    var position: Position
    /// Values that may still come before the page has too many.
    var remainingValues: Int
}

extension JSONScanner {
    @inline(__always)
    func failure(_ problem: JSONSyntaxError.Problem, at place: Position) -> JSONSyntaxError {
        JSONSyntaxError(problem: problem, offset: place - start, found: place < end ? place.pointee : nil)
    }

    @inline(__always)
    func failure(_ problem: JSONSyntaxError.Problem) -> JSONSyntaxError {
        failure(problem, at: position)
    }

    @inline(__always)
    func isNext(_ byte: UInt8) -> Bool {
        position < end && position.pointee == byte
    }

    @inline(__always)
    mutating func skipSpace() {
        while position < end {
            switch position.pointee {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    @inline(__always)
    mutating func countValue() throws(JSONSyntaxError) {
        remainingValues &-= 1
        if remainingValues < 0 { throw failure(.tooManyValues) }
    }

    /// Steps over `{` and the space after it; false when the object has no members and has been stepped over as well.
    @inline(__always)
    mutating func enterObject() throws(JSONSyntaxError) -> Bool {
        position += 1
        skipSpace()
        if isNext(UInt8(ascii: "\"")) { return true }
        guard isNext(UInt8(ascii: "}")) else { throw failure(.expectedNameOrEnd) }
        position += 1
        return false
    }

    /// Steps over a member's name, its colon and the space after it, up to the value.
    @inline(__always)
    mutating func name() throws(JSONSyntaxError) -> ScannedString {
        guard isNext(UInt8(ascii: "\"")) else { throw failure(.expectedName) }
        let name = try string()
        skipSpace()
        guard isNext(UInt8(ascii: ":")) else { throw failure(.expectedColon) }
        position += 1
        skipSpace()
        return name
    }

    /// After a member's value: true when another name follows, false when the object ended and was stepped over.
    @inline(__always)
    mutating func nextMember() throws(JSONSyntaxError) -> Bool {
        skipSpace()
        if isNext(UInt8(ascii: ",")) {
            position += 1
            skipSpace()
            return true
        }
        guard isNext(UInt8(ascii: "}")) else { throw failure(.expectedCommaOrObjectEnd) }
        position += 1
        return false
    }

    /// Steps over `[` and the space after it; false when the array is empty and has been stepped over as well.
    @inline(__always)
    mutating func enterArray() throws(JSONSyntaxError) -> Bool {
        position += 1
        skipSpace()
        if position == end { throw failure(.expectedValueOrArrayEnd) }
        guard isNext(UInt8(ascii: "]")) else { return true }
        position += 1
        return false
    }

    /// After an element: true when another value follows, false when the array ended and was stepped over.
    @inline(__always)
    mutating func nextElement() throws(JSONSyntaxError) -> Bool {
        skipSpace()
        if isNext(UInt8(ascii: ",")) {
            position += 1
            skipSpace()
            return true
        }
        guard isNext(UInt8(ascii: "]")) else { throw failure(.expectedCommaOrArrayEnd) }
        position += 1
        return false
    }

    /// `true`, `false` or `null`, of which the first letter has been seen.
    @inline(__always)
    mutating func literal(_ text: StaticString) throws(JSONSyntaxError) {
        let letters = text.utf8Start
        let count = text.utf8CodeUnitCount
        var index = 1
        while index < count {
            if position + index >= end || position[index] != letters[index] { throw failure(.expectedValue) }
            index += 1
        }
        position += count
    }

    /// RFC 8259, section 6.
    @inline(__always)
    mutating func number() throws(JSONSyntaxError) {
        if isNext(UInt8(ascii: "-")) {
            position += 1
            guard isDigitNext else { throw failure(.expectedDigit) }
        }
        guard isDigitNext else { throw failure(.expectedValue) }
        if position.pointee == UInt8(ascii: "0") { position += 1 } else { skipDigits() }
        if isNext(UInt8(ascii: ".")) {
            position += 1
            guard isDigitNext else { throw failure(.expectedDigit) }
            skipDigits()
        }
        if position < end, position.pointee | 0x20 == UInt8(ascii: "e") {
            position += 1
            if isNext(UInt8(ascii: "+")) || isNext(UInt8(ascii: "-")) { position += 1 }
            guard isDigitNext else { throw failure(.expectedDigit) }
            skipDigits()
        }
    }

    @inline(__always)
    private var isDigitNext: Bool {
        position < end && position.pointee &- UInt8(ascii: "0") < 10
    }

    @inline(__always)
    private mutating func skipDigits() {
        while isDigitNext { position += 1 }
    }
}

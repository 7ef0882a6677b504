// SPDX-License-Identifier: Apache-2.0
/// Reads the tokens of RFC 8259 from the bytes of one document; no other code does.
///
/// A value type kept in registers: `JSONGrammar` copies it to a local variable, so every method here that moves `position`
/// must be inlined, and methods that are not inlined take and return values.
struct JSONScanner {
    typealias Position = UnsafePointer<UInt8>

    let start: Position
    let end: Position
    var position: Position
    /// The number of values allowed before the page has too many.
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

    /// Skips `{` and the space after it; false if the object is empty, which is then skipped completely.
    @inline(__always)
    mutating func enterObject() throws(JSONSyntaxError) -> Bool {
        position += 1
        skipSpace()
        if isNext(UInt8(ascii: "\"")) { return true }
        guard isNext(UInt8(ascii: "}")) else { throw failure(.expectedNameOrEnd) }
        position += 1
        return false
    }

    /// Scans a member's name and skips the colon and space up to the value.
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

    /// After a member's value: true if another name follows, false if the object ended, which is then skipped.
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

    /// Skips `[` and the space after it; false if the array is empty, which is then skipped completely.
    @inline(__always)
    mutating func enterArray() throws(JSONSyntaxError) -> Bool {
        position += 1
        skipSpace()
        if position == end { throw failure(.expectedValueOrArrayEnd) }
        guard isNext(UInt8(ascii: "]")) else { return true }
        position += 1
        return false
    }

    /// After an element: true if another value follows, false if the array ended, which is then skipped.
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

    /// Scans `true`, `false` or `null`, whose first letter has been checked.
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

    /// Scans a number (RFC 8259, section 6).
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

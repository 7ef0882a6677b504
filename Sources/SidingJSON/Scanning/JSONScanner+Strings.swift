// SPDX-License-Identifier: Apache-2.0
extension JSONScanner {
    /// Scans a string from its opening to its closing quote, checking escapes, control characters and UTF-8. A lone surrogate is
    /// valid grammar and only noted.
    @inline(__always)
    mutating func string() throws(JSONSyntaxError) -> ScannedString {
        let contents = position + 1
        var place = contents
        if end - place >= 16 {
            place += Self.plainPrefix(of: place)
            if place < contents + 16, place.pointee == UInt8(ascii: "\"") {
                position = place + 1
                return ScannedString(start: contents, end: place, isEscaped: false, hasLoneSurrogate: false)
            }
        }
        let string = try longString(contents: contents, from: place)
        position = string.end + 1
        return string
    }

    /// How many of the next 16 bytes precede the first quote, backslash, control character or non-ASCII byte.
    @inline(__always)
    private static func plainPrefix(of place: Position) -> Int {
        let bytes = UnsafeRawPointer(place).loadUnaligned(as: SIMD16<Int8>.self)
        // As signed numbers, bytes from 0x80 on are also below 0x20. Both operands are vectors, as comparing with a scalar would
        // be compiled lane by lane.
        let special =
            (bytes .== SIMD16<Int8>(repeating: 0x22)) .| (bytes .== SIMD16<Int8>(repeating: 0x5C))
            .| (bytes .< SIMD16<Int8>(repeating: 0x20))
        let words = unsafeBitCast(special, to: SIMD2<UInt64>.self)
        if words[0] != 0 { return UInt64(littleEndian: words[0]).trailingZeroBitCount >> 3 }
        return 8 + UInt64(littleEndian: words[1]).trailingZeroBitCount >> 3
    }

    @inline(never)
    private func longString(contents: Position, from first: Position) throws(JSONSyntaxError) -> ScannedString {
        var place = first
        var isEscaped = false
        var hasLoneSurrogate = false
        while true {
            while end - place >= 16 {
                let plain = Self.plainPrefix(of: place)
                place += plain
                if plain < 16 { break }
            }
            guard place < end else { throw failure(.expectedClosingQuote, at: end) }
            switch place.pointee {
            case UInt8(ascii: "\""):
                return ScannedString(
                    start: contents, end: place, isEscaped: isEscaped, hasLoneSurrogate: hasLoneSurrogate)
            case UInt8(ascii: "\\"):
                isEscaped = true
                place = try escape(at: place, hasLoneSurrogate: &hasLoneSurrogate)
            case 0..<0x20: throw failure(.unescapedControlCharacter, at: place)
            case 0x80...: place = try multibyteRun(at: place)
            default: place += 1
            }
        }
    }

    @inline(__always)
    private func escape(at place: Position, hasLoneSurrogate: inout Bool) throws(JSONSyntaxError) -> Position {
        guard place + 1 < end else { throw failure(.expectedEscape, at: end) }
        switch place[1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return place + 2
        case UInt8(ascii: "u"): break
        default: throw failure(.expectedEscape, at: place + 1)
        }
        let unit = try codeUnit(at: place + 2)
        guard unit & 0xF800 == 0xD800 else { return place + 6 }
        if unit < 0xDC00, end - place >= 8, place[6] == UInt8(ascii: "\\"), place[7] == UInt8(ascii: "u"),
            try codeUnit(at: place + 8) & 0xFC00 == 0xDC00
        {
            return place + 12
        }
        hasLoneSurrogate = true
        return place + 6
    }

    /// The value of the four hexadecimal digits at `place`.
    @inline(__always)
    private func codeUnit(at place: Position) throws(JSONSyntaxError) -> UInt32 {
        var unit: UInt32 = 0
        for index in 0..<4 {
            guard place + index < end, let digit = JSONString.hexadecimalDigit(place[index]) else {
                throw failure(.expectedHexadecimalDigit, at: min(place + index, end))
            }
            unit = unit << 4 | digit
        }
        return unit
    }

    /// Skips well-formed UTF-8 sequences of two to four bytes (Unicode 16.0, table 3-7).
    @inline(__always)
    private func multibyteRun(at first: Position) throws(JSONSyntaxError) -> Position {
        var place = first
        while place < end, place.pointee >= 0x80 {
            let length = Self.multibyteLength(at: place, available: end - place)
            if length == 0 { throw failure(.invalidUTF8, at: place) }
            place += length
        }
        return place
    }

    /// The length of the UTF-8 sequence; 0 if it is not well-formed.
    @inline(__always)
    private static func multibyteLength(at place: Position, available: Int) -> Int {
        let lead = place.pointee
        guard available >= 2 else { return 0 }
        let second = place[1]
        if lead < 0xE0 { return lead >= 0xC2 && isContinuation(second) ? 2 : 0 }
        guard available >= 3, isContinuation(second), isContinuation(place[2]) else { return 0 }
        if lead < 0xF0 { return (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ? 0 : 3 }
        guard available >= 4, lead <= 0xF4, isContinuation(place[3]) else { return 0 }
        return (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F) ? 0 : 4
    }

    @inline(__always)
    private static func isContinuation(_ byte: UInt8) -> Bool {
        byte & 0xC0 == 0x80
    }
}

// SPDX-License-Identifier: Apache-2.0
/// Finds words of a known form, such as temporary ids, in a body or URL, however they are written there: each of their ASCII
/// characters may be escaped, by JSON as `\u0074` (RFC 8259 §7), by a URL or a form as `%74` (RFC 3986 §2.1).
package struct EscapedWord {
    /// Where it stands, with its escapes.
    package let range: Range<Int>
    /// The word without escapes.
    package let text: String

    /// All words in `text` that have this length, begin with `prefix`, and go on with what `isLetter` accepts.
    package static func all(
        of length: Int, after prefix: String, in text: [UInt8], isLetter: (UInt8) -> Bool
    ) -> [EscapedWord] {
        let prefix = Array(prefix.utf8)
        return text.withUnsafeBufferPointer { text in
            var (words, index) = ([EscapedWord](), 0)
            while index < text.count {
                let byte = text[index]
                if byte == prefix[0] || byte == backslash || byte == percent {
                    if let word = EscapedWord(of: length, after: prefix, at: index, in: text, isLetter) {
                        words.append(word)
                        index = word.range.upperBound
                        continue
                    }
                    // A backslash that is escaped itself escapes nothing.
                    if byte == backslash { index += 1 }
                }
                index += 1
            }
            return words
        }
    }

    private init?(
        of length: Int, after prefix: [UInt8], at start: Int, in text: UnsafeBufferPointer<UInt8>,
        _ isLetter: (UInt8) -> Bool
    ) {
        var end = start
        for expected in prefix {
            guard let (byte, next) = Self.byte(at: end, in: text), byte == expected else { return nil }
            end = next
        }
        var word = prefix
        while word.count < length {
            guard let (byte, next) = Self.byte(at: end, in: text), isLetter(byte) else { return nil }
            word.append(byte)
            end = next
        }
        (range, self.text) = (start..<end, String(decoding: word, as: UTF8.self))
    }

    /// The byte that stands at `index`, and where the next begins.
    private static func byte(at index: Int, in text: UnsafeBufferPointer<UInt8>) -> (byte: UInt8, next: Int)? {
        guard index < text.count else { return nil }
        let isJSON = text[index] == backslash && index + 1 < text.count && text[index + 1] == UInt8(ascii: "u")
        guard isJSON || text[index] == percent else { return (text[index], index + 1) }
        let digits = text[(index + 1)...].dropFirst(isJSON ? 1 : 0).prefix(isJSON ? 4 : 2)
        return UInt8(String(decoding: digits, as: UTF8.self), radix: 16).map { ($0, digits.endIndex) }
    }

    private static let backslash = UInt8(ascii: "\\")
    private static let percent = UInt8(ascii: "%")
}

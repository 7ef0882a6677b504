/// Temporary ids of records until the origin has assigned real ones: `tmp-` and 26 random characters.
///
/// They are detected in URLs, bodies and lanes, so that a write that names one waits for it automatically.
package enum TemporaryID {
    static let prefix = "tmp-"
    static let length = prefix.utf8.count + EntryID.length

    /// Makes a new id, for a caller who wants to use it before its write is accepted, for instance in a lane.
    package static func random() -> String { prefix + EntryID.random() }

    /// Whether `text` has the form of a temporary id.
    package static func matches(_ text: String) -> Bool {
        text.utf8.count == length && text.hasPrefix(prefix) && text.utf8.dropFirst(4).allSatisfy(isLetter)
    }

    /// The temporary ids in `text`, in order, without duplicates.
    static func found(in text: some Collection<UInt8>) -> [String] {
        var found: [String] = []
        var rest = text[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "t")) {
            rest = rest[start...]
            if rest.starts(with: prefix.utf8) {
                let candidate = String(decoding: rest.prefix(length), as: UTF8.self)
                if matches(candidate), !found.contains(candidate) { found.append(candidate) }
            }
            rest = rest.dropFirst()
        }
        return found
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}

/// Ids that stand for records until the origin has made real ones: `tmp-` and 26 characters that no one makes twice.
///
/// They are looked for in URLs, bodies and lanes, so that whatever names one waits for it without being told to.
public enum TemporaryID {
    static let prefix = "tmp-"
    static let length = prefix.utf8.count + EntryID.length

    /// A new one, for a caller who wants to name it before its write is accepted: in a lane, say.
    public static func random() -> String { prefix + EntryID.random() }

    /// Whether `text` is one by its form.
    public static func matches(_ text: String) -> Bool {
        text.utf8.count == length && text.hasPrefix(prefix) && text.utf8.dropFirst(4).allSatisfy(isLetter)
    }

    /// All that stand in `text`, in their order, each once.
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

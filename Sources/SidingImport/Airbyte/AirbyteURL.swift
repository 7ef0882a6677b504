// SPDX-License-Identifier: Apache-2.0
/// Converts `url_base`, whose host may depend on the user's configuration.
struct AirbyteURL {
    private(set) var text: String
    /// The path that was split off.
    private(set) var rest = ""

    /// - Parameter isWhole: whether the URL includes the path: the part after the last slash, or with a placeholder.
    init(
        _ text: String, _ requester: AirbyteComponent, at origin: Origin, isWhole: Bool,
        _ imported: inout ImportedConfig
    ) {
        self.init(filling: text, requester, at: origin, keepsBraces: isWhole, &imported)
        if isWhole { split() }
    }

    private mutating func split() {
        guard let start = text.firstRange(of: "://")?.upperBound, let slash = text[start...].firstIndex(of: "/") else {
            return
        }
        let end = text[slash...].firstIndex { $0 == "?" || $0 == "{" } ?? text.endIndex
        guard let cut = text[slash..<end].lastIndex(of: "/"), text.index(after: cut) < text.endIndex else { return }
        rest = String(text[cut...])
        text = String(text[..<cut])
    }

    private init(
        filling text: String, _ requester: AirbyteComponent, at origin: Origin, keepsBraces: Bool,
        _ imported: inout ImportedConfig
    ) {
        let filled = requester.fill(text, "")
        if case .literal(let plain) = filled.value {
            self.text = plain
            for name in filled.assumed {
                imported.noteUnsupported(
                    origin, "config '\(name.prefix(60))' is set by the user",
                    hint: "the URL has its default: change it by hand")
            }
            return
        }
        let isShort = text.utf8.count <= 2000
        self.text = Self.placeholder(isShort ? filled.template : "", keepsBraces: keepsBraces)
        let shown = isShort ? " '\(ImportedURL(filled.shown).text.prefix(200))'" : ""
        imported.noteUnsupported(
            origin, "the URL\(shown) depends on the user's configuration, but siding.yaml has no variables",
            hint: "write the real one in 'base_url'")
    }

    /// A URL from the known parts. If the host is unknown it becomes an invalid one, so that no request leaves the machine:
    /// secrets must not be sent to a guessed host.
    private static func placeholder(_ template: String, keepsBraces: Bool) -> String {
        let start = template.firstRange(of: "://")?.upperBound
        let rest = template[(start ?? template.startIndex)...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let host = authority[
            (authority.lastIndex(of: "@").map { authority.index(after: $0) } ?? authority.startIndex)...]
        if start != nil, !host.contains(AirbyteText.mark) { return legal(template, keepsBraces: keepsBraces) }
        let path = rest[authority.endIndex...].prefix { $0 != "#" }
        return "https://\(invalid(host))\(legal(path, keepsBraces: keepsBraces))"
    }

    /// A host such as `site.example.com.invalid` if `site` is unknown (RFC 2606 §2).
    private static func invalid(_ host: Substring) -> String {
        let labels = host.prefix { $0 != ":" }.lowercased().split(separator: ".").map { label in
            let letters = label.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
            return String(letters.drop { $0 == "-" }.prefix(40).reversed().drop { $0 == "-" }.reversed())
        }
        let known = labels.filter { !$0.isEmpty }.suffix(5)
        return ((known.isEmpty ? ["host"] : known) + ["invalid"]).joined(separator: ".")
    }

    private static func legal(_ text: some StringProtocol, keepsBraces: Bool) -> String {
        let illegal = keepsBraces ? "<>\"'^`|\\" : "{}<>\"'^`|\\"
        let scalars = text.unicodeScalars.filter {
            $0.value > 0x20 && $0.value < 0x7F && !illegal.unicodeScalars.contains($0)
        }
        return String(String.UnicodeScalarView(scalars))
    }
}

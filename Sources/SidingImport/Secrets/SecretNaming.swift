// SPDX-License-Identifier: Apache-2.0
/// Names environment variables and sources.
enum SecretNaming {
    /// A variable's name: `GITHUB_API_KEY` for the parts `github` and `api_key`; repeated parts are omitted.
    static func variable(_ parts: String...) -> String {
        let words = parts.map { part in
            String(part.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }.prefix(60))
                .split(separator: "_").joined(separator: "_")
        }.filter { !$0.isEmpty }
        var name = ""
        for word in words where name.isEmpty || !word.hasPrefix(name + "_") {
            name += name.isEmpty ? word : "_" + word
        }
        if let full = words.last, words.count > 1, full.hasPrefix(words[0] + "_") { name = full }
        guard let first = name.first else { return "SECRET" }
        return first.isNumber ? "_" + name : name
    }

    /// A source's name from its host: `github` for `api.github.com`.
    static func source(ofURL url: String) -> String {
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let host = (authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority)
            .prefix { $0 != ":" }
        let dull: Set<Substring> = [
            "api", "www", "com", "org", "net", "io", "co", "dev", "app", "ai", "rest", "invalid",
        ]
        let labels = host.lowercased().split(separator: ".")
        let isAddress = labels.allSatisfy { $0.allSatisfy(\.isNumber) }
        let label = isAddress ? nil : labels.dropLast().last { !dull.contains($0) && $0.count > 1 } ?? labels.first
        return name(label.map(String.init) ?? "origin")
    }

    /// `text` as a source's name: a lower case letter, followed by letters, digits, `_` and `-`.
    static func name(_ text: String) -> String {
        let plain = text.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" ? $0 : "_" }
        let trimmed = plain.drop { !$0.isLetter }.prefix(60)
        return trimmed.isEmpty ? "origin" : String(trimmed)
    }
}

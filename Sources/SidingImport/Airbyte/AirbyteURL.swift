/// `url_base`, in which the user's configuration may say the host.
struct AirbyteURL {
    private(set) var text: String
    /// The path that was taken from its end.
    private(set) var rest = ""

    /// - Parameter isWhole: whether the URL says the path as well: what follows the last slash, or holds a placeholder.
    init(
        _ text: String, _ requester: AirbyteComponent, at origin: Origin, isWhole: Bool,
        _ manifest: inout ImportedManifest
    ) {
        self.init(text, requester, at: origin, &manifest)
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

    private init(_ text: String, _ requester: AirbyteComponent, at origin: Origin, _ manifest: inout ImportedManifest) {
        let filled = requester.fill(text, "")
        if case .literal(let plain) = filled.value {
            self.text = plain
            for name in filled.assumed {
                manifest.leaveOut(
                    origin, "config '\(name.prefix(60))' is the user's to set",
                    hint: "its default stands in the URL: change it by hand")
            }
            return
        }
        self.text = Self.placeholder(text.utf8.count <= 2000 ? text : "")
        manifest.leaveOut(
            origin, "the URL depends on the user's configuration, and siding.yaml has no variables",
            hint: "put the real one in the place of 'base_url'")
    }

    /// A URL that no request leaves the machine for where the host is not known: secrets must not go to a guess.
    private static func placeholder(_ text: String) -> String {
        var names: [String] = []
        var (out, rest) = ("", text[...])
        while let match = rest.firstMatch(of: /\{\{([^{}]*)\}\}/) {
            let name = AirbyteAccess(String(match.output.1))?.keys.last ?? "value"
            let safe = SecretNaming.name(name).replacing("_", with: "-")
            names.append(safe)
            out += rest[..<match.range.lowerBound] + safe
            rest = rest[match.range.upperBound...]
        }
        out += rest
        let start = text.firstRange(of: "://")
        let host = start.map { text[$0.upperBound...].prefix { $0 != "/" && $0 != "?" } } ?? text[...]
        if start != nil, !host.contains("{{") {
            let legal = out.unicodeScalars.filter {
                $0.value > 0x20 && $0.value < 0x7F && !"{}<>\"'^`|\\".unicodeScalars.contains($0)
            }
            return String(String.UnicodeScalarView(legal))
        }
        return "https://\(names.first ?? "host").invalid"
    }
}

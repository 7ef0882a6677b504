// SPDX-License-Identifier: Apache-2.0
import Testing

/// A page read as a browser would: its elements with their attributes, and its text. Malformed parts are errors.
struct ParsedPage {
    struct Element {
        let name: String
        let attributes: [String: String]
        /// The names of the elements around it, outermost first.
        let ancestors: [String]
        /// The text in it.
        var text = ""

        subscript(attribute: String) -> String? { attributes[attribute] }
    }

    struct Malformed: Error {
        let what: String
    }

    let html: String
    private(set) var elements: [Element] = []

    private static let void: Set = ["meta", "link", "input"]

    init(_ html: String) throws {
        self.html = html
        var rest = html.unicodeScalars[...]
        var open: [(index: Int, name: String)] = []
        while let scalar = rest.first {
            guard scalar == "<" else {
                let text = rest.prefix { $0 != "<" }
                rest = rest.dropFirst(text.count)
                for (index, _) in open { elements[index].text += Self.decoded(String(text)) }
                continue
            }
            guard let end = Self.endOfTag(rest) else { throw Malformed(what: "a tag without an end") }
            var tag = String(rest[rest.index(after: rest.startIndex)..<end])
            rest = rest[rest.index(after: end)...]
            if tag.hasPrefix("!doctype") { continue }
            if tag.hasPrefix("/") {
                guard open.popLast()?.name == String(tag.dropFirst()) else { throw Malformed(what: "</\(tag)>") }
                continue
            }
            if tag.hasSuffix("/") { tag.removeLast() }
            let (name, attributes) = try Self.attributes(tag)
            elements.append(Element(name: name, attributes: attributes, ancestors: open.map(\.name)))
            if !Self.void.contains(name) { open.append((elements.count - 1, name)) }
        }
        guard open.isEmpty else { throw Malformed(what: "open to the end: \(open.map(\.name))") }
    }

    /// A `>` in a quoted value does not end a tag.
    private static func endOfTag(_ text: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView.Index? {
        var isQuoted = false
        return text.indices.first { index in
            if text[index] == "\"" { isQuoted.toggle() }
            return text[index] == ">" && !isQuoted
        }
    }

    private static func attributes(_ tag: String) throws -> (name: String, attributes: [String: String]) {
        var rest = tag.unicodeScalars[...]
        func take(while isPart: (Unicode.Scalar) -> Bool) -> String {
            let part = rest.prefix(while: isPart)
            rest = rest.dropFirst(part.count)
            return String(part)
        }
        let isName: (Unicode.Scalar) -> Bool = {
            $0.isASCII && ($0.properties.isAlphabetic || "0123456789-".unicodeScalars.contains($0))
        }
        let name = take(while: isName)
        guard !name.isEmpty else { throw Malformed(what: "<\(tag)>") }
        var attributes: [String: String] = [:]
        while !rest.isEmpty {
            guard !take(while: { $0 == " " }).isEmpty else { throw Malformed(what: "<\(tag)>") }
            let attribute = take(while: isName)
            if rest.first == "=" {
                guard !attribute.isEmpty, rest.dropFirst().first == "\"" else { throw Malformed(what: "<\(tag)>") }
                rest = rest.dropFirst(2)
                attributes[attribute] = decoded(take { $0 != "\"" })
                rest = rest.dropFirst()
            } else if !attribute.isEmpty {
                attributes[attribute] = ""
            }
        }
        return (name, attributes)
    }

    /// By scalars: a quote may be one character with the accent behind it.
    private static func decoded(_ text: String) -> String {
        let names: [String: Unicode.Scalar] = ["lt": "<", "gt": ">", "quot": "\"", "#39": "'", "amp": "&"]
        var decoded = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            let name = scalar == "&" ? String(rest.prefix(5).prefix { $0 != ";" }) : ""
            if scalar == "&", let meant = names[name] {
                decoded.append(meant)
                rest = rest.dropFirst(name.unicodeScalars.count + 1)
            } else {
                decoded.append(scalar)
            }
        }
        return String(decoded)
    }

    // MARK: What tests ask

    func all(_ name: String, _ isMeant: (Element) -> Bool = { _ in true }) -> [Element] {
        elements.filter { $0.name == name && isMeant($0) }
    }

    /// The text of the first such element; empty if there is none.
    func text(_ name: String) -> String { all(name).first?.text ?? "" }

    /// Everything that is read on the page, in its order.
    var text: String { text("main") }

    /// The addresses of links, without those within the page.
    var links: [String] { all("a").compactMap { $0["href"] }.filter { !$0.hasPrefix("#") } }

    func link(_ text: String) -> String? { all("a") { $0.text == text }.first?["href"] }

    /// The first cells of the rows of its tables.
    var rowNames: [String] { all("th") { $0["scope"] == "row" }.map(\.text) }
}

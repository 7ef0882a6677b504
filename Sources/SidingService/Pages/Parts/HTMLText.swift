// SPDX-License-Identifier: Apache-2.0
internal import Mustache
internal import SidingJSON

/// Escapes text for HTML, between tags and in quoted attributes.
///
/// It goes by scalars: a quote with a combining accent is one character of Swift, and ends an attribute all the same.
/// Controls, bidirectional and invisible characters are shown as `\u{…}`, as on a terminal.
struct HTMLText: MustacheContentType {
    static let name = "SIDING_HTML"

    func escapeText(_ text: String) -> String {
        var html = ""
        html.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": html += "&amp;"
            case "<": html += "&lt;"
            case ">": html += "&gt;"
            case "\"": html += "&quot;"
            case "'": html += "&#39;"
            case "\n", "\t": html.unicodeScalars.append(scalar)
            case _ where PlainText.isHarmless(scalar): html.unicodeScalars.append(scalar)
            default: html += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return html
    }
}

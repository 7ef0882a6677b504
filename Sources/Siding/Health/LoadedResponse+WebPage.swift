// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain

extension LoadedResponse {
    /// Whether a web page came where JSON was asked for: perhaps the login page of a network answered, not the origin.
    ///
    /// - Parameter accepted: the `Accept` of the request; nil if it had none.
    func isWebPage(accepting accepted: String?) -> Bool {
        response.status.kind == .successful
            && WebPage.isOne(bytes ?? [], response.headerFields, accepting: accepted)
    }
}

extension HTTPFailure {
    /// Whether the refusal is a web page where JSON was asked for.
    func isWebPage(accepting accepted: String?) -> Bool { WebPage.isOne(body, headerFields, accepting: accepted) }
}

private enum WebPage {
    /// An origin that calls its JSON `text/html` sends no tag first, and many portals give their page another type, or none.
    /// An origin that is asked for HTML may answer with it.
    static func isOne(_ body: [UInt8], _ fields: HTTPFields, accepting accepted: String?) -> Bool {
        let type = (fields[.contentType] ?? "").lowercased().prefix { $0 != ";" }.filter { !$0.isWhitespace }
        let text = body.withoutByteOrderMark.drop { [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains($0) }
        let isOne =
            if type == "application/captive+json" {
                // The state of a portal (RFC 8908).
                true
            } else if ["text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"].contains(type) {
                text.first == UInt8(ascii: "<") || hasTags(text) || (text.isEmpty && asksForRefresh(fields))
            } else {
                (others.contains(type) || type.contains("json")) && startsPage(text, with: tags)
                    || xml.contains(type) && (startsPage(text, with: xmlTags) || isXHTML(text))
            }
        return isOne && accepted?.lowercased().contains("html") != true
    }

    /// Where browsers go from a page (https://html.spec.whatwg.org/multipage/browsing-the-web.html#the-refresh-header).
    private static func asksForRefresh(_ fields: HTTPFields) -> Bool {
        fields.contains { $0.name.canonicalName == "refresh" }
    }

    /// Whether a page is XHTML, by its namespace (https://www.w3.org/TR/xhtml1/#strict).
    private static func isXHTML(_ text: ArraySlice<UInt8>) -> Bool {
        startsPage(text, with: ["<html"])
            && String(decoding: text.prefix(1_024), as: UTF8.self).contains("http://www.w3.org/1999/xhtml")
    }

    /// Whether a text is HTML that begins with words: "Please wait <meta http-equiv=…>". Others call a plain "OK" so.
    private static func hasTags(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.contains(UInt8(ascii: "<")) else { return false }
        let start = String(decoding: text.prefix(8_192), as: UTF8.self).lowercased()
        return !["{", "[", "\""].contains(start.prefix(1))
            && ["<form", "<meta", "<script"].contains(where: start.contains)
    }

    /// Other types that portals give their pages.
    private static let others: Set<String> = ["", "text/plain", "application/octet-stream"]
    private static let xml: Set<String> = ["text/xml", "application/xml"]
    /// The tags by which a page begins, as browsers read it without a type (https://mimesniff.spec.whatwg.org, table of 7.1), but for
    /// those that a text may begin with, too.
    private static let tags = [
        "<!doctype html", "<html", "<head", "<script", "<meta", "<title", "<body", "<style", "<iframe", "<frameset",
        "<center",
    ]
    private static let skipped = [("<?xml", "?>"), ("<!--", "-->")]
    private static let xmlTags = ["<!doctype html", "<wispaccessgatewayparam"]

    /// Whether it begins with one of these tags, in any case, behind comments and an XML declaration.
    private static func startsPage(_ text: ArraySlice<UInt8>, with tags: [String]) -> Bool {
        guard text.first == UInt8(ascii: "<") else { return false }
        var start = String(decoding: text.prefix(8_192), as: UTF8.self).lowercased()[...]
        while let (opening, end) = skipped.first(where: { start.hasPrefix($0.0) }) {
            guard let end = start.dropFirst(opening.count).firstRange(of: end) else { return false }
            start = start[end.upperBound...].drop(while: \.isWhitespace)
        }
        return tags.contains { tag in
            guard start.hasPrefix(tag) else { return false }
            return start.dropFirst(tag.count).first.map { $0.isWhitespace || ">/".contains($0) } ?? true
        }
    }
}

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
            if ["text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"].contains(type) {
                text.first == UInt8(ascii: "<")
            } else {
                (others.contains(type) || type.contains("json")) && startsPage(text, with: tags)
                    || xml.contains(type) && startsPage(text, with: xmlTags)
            }
        return isOne && accepted?.lowercased().contains("html") != true
    }

    /// Other types that portals give their pages.
    private static let others: Set<String> = ["", "text/plain", "application/octet-stream"]
    private static let xml: Set<String> = ["text/xml", "application/xml"]
    /// The tags by which a page begins, as browsers read it without a type (https://mimesniff.spec.whatwg.org, table of 7.1), but for
    /// those that a text may begin with, too.
    private static let tags = [
        "<!doctype html", "<html", "<head", "<script", "<meta", "<title", "<body", "<style", "<iframe",
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

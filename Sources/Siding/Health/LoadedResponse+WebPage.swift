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
            if ["text/html", "application/xhtml+xml"].contains(type) {
                text.first == UInt8(ascii: "<")
            } else {
                (type.isEmpty || type == "text/plain" || type.contains("json")) && startsPage(text)
            }
        return isOne && accepted?.lowercased().contains("html") != true
    }

    /// Whether it begins with `<!doctype html` or `<html`, in any case.
    private static func startsPage(_ text: ArraySlice<UInt8>) -> Bool {
        let start = String(decoding: text.prefix(15), as: UTF8.self).lowercased()
        return ["<!doctype html", "<html"].contains { tag in
            start.hasPrefix(tag) && !(start.dropFirst(tag.count).first?.isLetter ?? false)
        }
    }
}

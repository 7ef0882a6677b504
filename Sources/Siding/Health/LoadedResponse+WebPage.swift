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
    /// An origin that calls its JSON `text/html` sends no tag first. One that is asked for HTML may answer with it.
    static func isOne(_ body: [UInt8], _ fields: HTTPFields, accepting accepted: String?) -> Bool {
        let type = (fields[.contentType] ?? "").lowercased().prefix { $0 != ";" }.filter { !$0.isWhitespace }
        guard ["text/html", "application/xhtml+xml"].contains(type),
            body.withoutByteOrderMark.first(where: { ![0x20, 0x09, 0x0A, 0x0C, 0x0D].contains($0) })
                == UInt8(ascii: "<")
        else { return false }
        return accepted?.lowercased().contains("html") != true
    }
}

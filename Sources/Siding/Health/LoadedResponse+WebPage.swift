internal import HTTPTypes
internal import SidingChain

extension LoadedResponse {
    /// Whether a web page came where JSON was asked for: perhaps the login page of a network answered, not the origin.
    ///
    /// An origin that calls its JSON `text/html` sends no tag first. One that is asked for HTML may answer with it.
    ///
    /// - Parameter accepted: the `Accept` of the request; nil if it had none.
    func isWebPage(accepting accepted: String?) -> Bool {
        let type = (response.headerFields[.contentType] ?? "").lowercased().prefix { $0 != ";" }
            .filter { !$0.isWhitespace }
        guard response.status.kind == .successful, ["text/html", "application/xhtml+xml"].contains(type),
            Self.beginsWithTag(bytes ?? [])
        else { return false }
        return accepted?.lowercased().contains("html") != true
    }

    private static func beginsWithTag(_ bytes: [UInt8]) -> Bool {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(byteOrderMark.count) : bytes[...]
        return text.first { ![0x20, 0x09, 0x0A, 0x0C, 0x0D].contains($0) } == UInt8(ascii: "<")
    }
}

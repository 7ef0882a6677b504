// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

/// The message of a refusal that is HTML or XML: the title of a page, the `Message` of S3, the `faultstring` of SOAP.
enum MarkupMessage {
    /// The text of the first such element; nil if the body is no markup or has none. A title that only repeats the status code is none.
    static func text(in body: [UInt8]) -> String? {
        let text = String(decoding: body.withoutByteOrderMark.prefix(8_192), as: UTF8.self)
        guard text.first(where: { !$0.isWhitespace }) == "<" else { return nil }
        return text.matches(of: element).lazy.map { String($0.output.1) }
            .first { message in
                guard let start = message.first(where: { !$0.isWhitespace }) else { return false }
                return !start.isNumber
            }
    }

    private static var element: Regex<(Substring, Substring)> {
        /<(?:[A-Za-z0-9]+:)?(?:[Tt]itle|[Mm]essage|faultstring|[Hh]1)(?:\s[^>]{0,200})?>([^<]{1,500})</
    }
}

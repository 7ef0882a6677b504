// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingJSON

extension HTTPFailure {
    /// The body's message in one line, if it is plain text or JSON of a usual form such as RFC 9457; else nil.
    ///
    /// - Parameter hiding: removes credentials, before the message is cut.
    func errorText(hiding: (String) -> String?) -> String? {
        let text = (try? JSONDocument(body)).map(message) ?? textOfBody
        return text.flatMap(hiding).map { text in
            let end = text.lastIndex { !$0.isWhitespace }.map(text.index(after:)) ?? text.startIndex
            return PlainText.oneLine(String(text[..<end].trimmingPrefix(while: \.isWhitespace)), limit: 200)
        }.flatMap(\.nonEmpty)
    }

    /// The body itself if it is plain text, or the message in its markup.
    var textOfBody: String? {
        let isPlain = headerFields[.contentType]?.lowercased().hasPrefix("text/plain") ?? false
        return isPlain ? String(validating: body, as: UTF8.self) : MarkupMessage.text(in: body)
    }

    private func message(in document: JSONDocument) -> String? {
        Self.messagePlaces.lazy.compactMap { document.value(at: $0)?.string }.first { !$0.isEmpty }
            ?? document.value(at: JSONPath(member: "errors")).flatMap(Self.messageOfMember)
            // Beside another status the object may be the record.
            ?? ([400, 422].contains(status) ? Self.messageOfMember(document) : nil)
    }

    /// The first message of an object that has a list of messages for each faulty member: `{"title": ["can not be blank"]}`. Nil for
    /// any other object, which may be a record.
    private static func messageOfMember(_ object: JSONDocument) -> String? {
        guard let members = object.members, let first = members.first else { return nil }
        let lists = members.map { $0.value.elements?.map(\.string) ?? [nil] }
        guard lists.allSatisfy({ !$0.isEmpty && !$0.contains(nil) }), let message = lists[0][0] else { return nil }
        return "\(first.name): \(message)"
    }

    /// Where the usual forms have the message, those of more APIs first.
    static let messagePlaces = [
        "$.detail", "$.message", "$.error.message", "$.error_description", "$.error", "$.errors[0].detail",
        "$.errors[0].message", "$.errors[0]", "$.title", "$.reason", "$.msg", "$[0].message",
        "$.errorMessages[0]",
        "$.errorMessage", "$.error_message", "$.error_msg", "$.errmsg", "$.detail[0].msg", "$.error.message.value",
        "$.fault.faultstring", "$.result.message", "$.meta.error_message", "$.meta.message", "$.data.message",
        "$.Message", "$.Error.Message", "$.userMessage", "$.status.message", "$.data.error.message", "$",
    ].compactMap { try? JSONPath(parsing: $0) }
}

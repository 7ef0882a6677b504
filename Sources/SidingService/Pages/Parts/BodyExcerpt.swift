// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON

/// The beginning of a body: JSON with line breaks, other text as it is.
struct BodyExcerpt: Sendable {
    let text: String
    /// What is not shown.
    let remark: String?

    init(_ bytes: [UInt8], limit: Int) {
        // Longer bodies are shown as text, without reading all of it.
        let isJSON = bytes.count <= limit * 16 && (try? JSONDocument(bytes)) != nil
        let shown = isJSON ? PrettyJSON.text(bytes, limit: limit) : Array(bytes.prefix(limit))
        let isCut = shown.count >= limit
        let isText = isJSON || Self.isText(shown, isCut: isCut)
        text = isText ? String(decoding: shown, as: UTF8.self) : ""
        let size = MessageFormat.size(bytes.count)
        remark = !isText ? "\(size) that are not text" : isCut ? "The beginning of \(size)." : nil
    }

    /// - Parameter isCut: whether the last character may be incomplete.
    private static func isText(_ bytes: [UInt8], isCut: Bool) -> Bool {
        (0...(isCut ? 3 : 0)).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
    }
}

// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
package import SidingJSON

/// What the answer to a batch of writes says of its entries: `[{"id": 1, "ok": true}, {"id": 2, "error": "conflict"}]`,
/// `{"Successful": […], "Failed": [{"Id": "2"}]}`.
///
/// An origin that has carried out a part of a batch often answers with 200 or 201, and names what failed in a list.
package struct BatchAnswer {
    private let request: [JSONDocument]
    private let limits: JSONLimits

    /// Nil unless the request may have several entries: it has a list, or several lines.
    package init?(to body: [UInt8], limits: JSONLimits) {
        if let document = try? JSONDocument(body.withoutByteOrderMark, limits: limits) {
            guard Self.hasList(document, depth: 4) else { return nil }
            request = [document]
        } else {
            let lines = body.split(separator: UInt8(ascii: "\n")).lazy.filter { $0.contains { $0 > 0x20 } }
            guard lines.prefix(2).count > 1 else { return nil }
            request = Self.lines(in: body, limits)
        }
        self.limits = limits
    }

    /// The first entry that failed, or the first list of them; nil if there is none.
    package func shortfall(in body: [UInt8]) -> Shortfall? {
        var search = FailedEntrySearch(request: request)
        let failure: String?
        if let document = try? JSONDocument(body.withoutByteOrderMark, limits: limits) {
            failure = search.failure(around: document, at: .root)
        } else {
            failure = search.failure(among: Self.lines(in: body, limits), at: .root)
        }
        return failure.map { Shortfall(.entries, $0) }
    }

    /// The documents on the lines of a text, up to one that is none.
    private static func lines(in body: [UInt8], _ limits: JSONLimits) -> [JSONDocument] {
        var documents: [JSONDocument] = []
        for line in body.withoutByteOrderMark.split(whereSeparator: {
            $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r")
        }) {
            guard let document = try? JSONDocument(Array(line), limits: limits) else { break }
            documents.append(document)
        }
        return documents
    }

    /// Whether it is an operation of a JSON Patch (RFC 6902), all of which change one record.
    private static func isPatch(_ element: JSONDocument) -> Bool {
        let names = (element.members ?? []).map(\.name)
        return names.contains("op") && names.contains("path")
    }

    private static func hasList(_ value: JSONDocument, depth: Int) -> Bool {
        if let elements = value.elements { return !elements.isEmpty && !elements.allSatisfy(isPatch) }
        return depth > 0 && value.members?.contains { hasList($0.value, depth: depth - 1) } ?? false
    }
}

// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingJSON
import SidingPaging

/// What the first page of a collection shows for its config: where the records are, their key, and the rule for the next page.
struct FirstPage {
    /// The value of `records`; nil where the page is the list.
    let records: JSONPath?
    let count: Int
    let key: KeyCandidate
    /// Nil if nothing shows that there are more pages.
    let next: Next?

    /// The rule for the next page.
    struct Next {
        /// The value of `paginate`; nil if the page does not show it.
        let rule: String?
        /// The value of `paginate` with the page size that the page reports; nil if there is none to propose.
        let sizedRule: String?
        /// The line of the config.
        let line: String
        /// What shows that there are more pages.
        let evidence: String
        let caution: String?
        /// The query parameters of the URL that the rule sets.
        let parameters: Set<String>

        /// The evidence and the caution, as a message.
        var message: String { [evidence, caution].compactMap(\.self).joined(separator: "; ") }
    }

    /// - Parameter resource: a draft, whose `records` and `paging` are not declared.
    /// - Throws: a contract failure if the answer has no records, or none of their members identifies them.
    init(_ answer: LoadedResponse, of resource: AnyResource) throws(Failure) {
        let fields = answer.response.headerFields
        let bytes = answer.bytes ?? []
        let limits = resource.source.jsonLimits
        let path = try Self.recordsPath(bytes, answer, limits)
        let listed = try Self.contents(of: bytes, PageReader(records: path, key: [], limits: limits), fields)
        key = try KeyCandidate.best(of: listed.records, in: bytes, at: path, of: resource.name, limits)
        let places = EnvelopePlaces.nextURLs + EnvelopePlaces.cursors.map(\.path)
        let reader = PageReader(
            records: path, key: [key.path], envelope: places, limits: limits, readsSurroundings: true)
        let contents = try Self.contents(of: bytes, reader, fields)
        var page = PageAnswer(
            headerFields: fields, recordCount: contents.records.count, envelope: [:], url: answer.url)
        page.resource = resource.name
        try page.read(contents, of: bytes, places, nextAt: places)
        (records, count) = (path == .root.appending(.each) ? nil : path, contents.records.count)
        next = try Self.next(page, ListingExtent(page, recordsAt: contents.recordsPath), resource)
    }

    private static func next(
        _ page: PageAnswer, _ extent: ListingExtent, _ resource: AnyResource
    ) throws(Failure) -> Next? {
        guard let more = try resource.evidenceOfMore(on: page, extent) else { return nil }
        let url = try resource.source.baseURL.appending(path: resource.path)
        let suggestion = PagingSuggestion(url: url, answer: page, extent: extent)
        return Next(
            rule: suggestion.rule, sizedRule: suggestion.sizedRule, line: suggestion.line,
            evidence: suggestion.evidence ?? more,
            caution: suggestion.caution, parameters: suggestion.parameters)
    }

    /// The path of the records, as `records` takes it.
    private static func recordsPath(
        _ bytes: [UInt8], _ answer: LoadedResponse, _ limits: JSONLimits
    ) throws(Failure) -> JSONPath {
        let fields = answer.response.headerFields
        if fields.nameLines, bytes.first != UInt8(ascii: "[") { return .lines }
        let document: JSONDocument
        do { document = try JSONDocument(bytes, limits: limits) } catch {
            throw failure("the page is not JSON: \(error)", fields)
        }
        guard let list = RecordsLocation.path(in: document, of: answer.url) else {
            throw failure("no array in it has objects, so it shows no records", fields)
        }
        return list.appending(.each)
    }

    private static func contents(
        of bytes: [UInt8], _ reader: PageReader, _ fields: HTTPFields
    ) throws(Failure) -> PageContents {
        do throws(PageFault) {
            return try bytes.withUnsafeBufferPointer { (page) throws(PageFault) -> PageContents in
                try reader.read(UnsafeRawBufferPointer(page))
            }
        } catch { throw failure(error.description, fields) }
    }

    private static func failure(_ detail: String, _ fields: HTTPFields) -> Failure {
        let type = fields[.contentType].flatMap { $0.lowercased().contains("json") ? nil : $0 }
        let name = type.map { "; the origin calls it '\(PlainText.oneLine($0, limit: 60))'" } ?? ""
        return Failure(.contract, phase: .answered, detail: detail + name)
    }
}

// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingPaging

/// What `paginate:` declares: how to find the next page, and the sizes of page that may be asked for.
struct PagingDeclaration: Sendable {
    var paging: Paging
    /// Nil if the size stays the same.
    var sizes: PageSizes?
}

/// How to find the next page: `paginate:`.
enum PagingGrammar {
    static let type = ValueType<PagingDeclaration>.union(of: [
        Variant(
            name: "auto", doc: "A next link, URL or cursor is searched on the first page.",
            shape: Shape([]) { _, _ in PagingDeclaration(paging: .automatic) }),
        Variant(
            name: "none", doc: "There is only one page.",
            shape: Shape([]) { _, _ in PagingDeclaration(paging: .none) }),
        Variant(name: "link_header", doc: "Link: <…>; rel=next (RFC 8288).", shape: linkHeader),
        Variant(name: "next_url", doc: "A URL in the body or in a header field.", shape: nextURL),
        Variant(name: "cursor", doc: "A token in the answer that goes into the next request.", shape: cursor),
        Variant(
            name: "header_cursor", doc: "A token in a header field that goes into the next request.",
            shape: headerCursor),
        Variant(name: "page", doc: "Page numbers.", shape: page),
        Variant(name: "offset", doc: "Record offsets.", shape: offset),
    ])

    private static let linkHeader = Shape<PagingDeclaration>(PageSizeGrammar.entries) { object, reading in
        PagingDeclaration(paging: .linkHeader, sizes: PageSizeGrammar.sizes(object, &reading))
    }

    private static let urlPath = Keyword("path", .path, "The path of the URL. Without it: the usual places.")

    private static let urlHeader = Keyword(
        "header", .headerName, "The header field with the URL, or with the number for the query parameter page.")

    private static let nextURL = Shape<PagingDeclaration>([urlPath.entry, urlHeader.entry]) { object, reading in
        let path = object.value(urlPath, &reading)
        guard let place = object.entry(urlHeader.name)?.place else { return PagingDeclaration(paging: .nextURL(path)) }
        if object.entry(urlPath.name) != nil {
            reading.fault("\(reading.subject) has two places of its URL", at: place, expected: "one of path and header")
        }
        return object.value(urlHeader, &reading).map { PagingDeclaration(paging: .nextHeader($0)) }
    }

    private static let tokenPath = Keyword("path", .path, "The path of the token. One of path and last.")
    private static let lastPath = Keyword(
        "last", .path,
        "The member of a page's last record whose value the next request sends; an empty page is the last.")
    private static let parameter = Keyword(
        "param", ParameterGrammar.name, isRequired: true,
        "The query parameter for the token; with in: body a member, or a JSON path.")

    private static let cursor = Shape<PagingDeclaration>(
        [tokenPath.entry, lastPath.entry, ParameterGrammar.place.entry, parameter.entry] + PageSizeGrammar.entries
    ) { object, reading in
        let path = object.value(tokenPath, &reading)
        let last = object.value(lastPath, &reading)
        let parameter = ParameterGrammar.parameter(parameter, object, &reading)
        let named = [tokenPath.name, lastPath.name].filter { object.entry($0) != nil }
        guard named.count == 1 else {
            reading.fault(
                "\(reading.subject) does not say where its token is", at: object.place, expected: "one of path and last"
            )
            return nil
        }
        let sizes = PageSizeGrammar.sizes(object, &reading)
        guard let parameter else { return nil }
        if let path { return PagingDeclaration(paging: .cursor(path, parameter: parameter), sizes: sizes) }
        return last.map { PagingDeclaration(paging: .lastRecord($0, parameter: parameter), sizes: sizes) }
    }

    private static let header = Keyword(
        "header", .headerName, isRequired: true, "The header field that holds the token.")

    private static let headerCursor = Shape<PagingDeclaration>([
        header.entry, ParameterGrammar.place.entry, parameter.entry,
    ]) { object, reading in
        let header = object.value(header, &reading)
        guard let parameter = ParameterGrammar.parameter(parameter, object, &reading), let header else { return nil }
        return PagingDeclaration(paging: .headerCursor(header, parameter: parameter))
    }

    private static let start = ValueType<Int>.integer(0...1_000_000_000)

    private static let pageParameter = Keyword(
        "param", ParameterGrammar.name, default: "page", "The parameter for the number.")
    private static let firstPage = Keyword("start", start, default: 1, "The number of the first page.")
    private static let page = Shape<PagingDeclaration>(
        [ParameterGrammar.place.entry, pageParameter.entry, firstPage.entry] + PageSizeGrammar.entries
    ) { object, reading in
        var numbers = Paging.PageNumbers()
        let usual = ParameterGrammar.usual(object, &reading)
        numbers.parameter = ParameterGrammar.parameter(pageParameter, object, &reading) ?? usual("page")
        numbers.start = object.value(firstPage, &reading) ?? numbers.start
        numbers.sizeParameter = ParameterGrammar.parameter(PageSizeGrammar.parameter, object, &reading)
        numbers.size = object.value(PageSizeGrammar.size, &reading)?.maximum
        if numbers.sizeParameter != nil, numbers.size == nil, object.entry(PageSizeGrammar.size.name) == nil,
            let place = object.entry(PageSizeGrammar.parameter.name)?.place
        {
            reading.fault(
                "'size_param'\(reading.subject.inOwner) has no 'size' to send", at: place,
                expected: PageSizeGrammar.expected)
        }
        let sizes = PageSizeGrammar.sizes(object, isNumbered: true, &reading)
        if sizes != nil, numbers.start > 1, let place = object.entry(firstPage.name)?.place {
            reading.fault(
                "'size'\(reading.subject.inOwner) has a minimum, and a smaller page has another number", at: place,
                expected: "start: 0 or start: 1")
        }
        return PagingDeclaration(paging: .page(numbers), sizes: sizes)
    }

    private static let offsetParameter = Keyword(
        "param", ParameterGrammar.name, default: "offset", "The parameter for the offset.")
    private static let firstOffset = Keyword("start", start, default: 0, "The offset of the first record.")
    private static let limitParameter = Keyword(
        "limit_param", ParameterGrammar.name, default: "limit", "The parameter for the limit.")
    private static let limit = Keyword(
        "limit", PageSizeGrammar.amount,
        "Records on a page; a shorter one is the last, unless the origin has a smaller maximum.")

    private static let offset = Shape<PagingDeclaration>([
        ParameterGrammar.place.entry, offsetParameter.entry, firstOffset.entry, limitParameter.entry, limit.entry,
        PageSizeGrammar.size.entry,
    ]) { object, reading in
        var offsets = Paging.Offsets()
        let usual = ParameterGrammar.usual(object, &reading)
        offsets.parameter = ParameterGrammar.parameter(offsetParameter, object, &reading) ?? usual("offset")
        offsets.start = object.value(firstOffset, &reading) ?? offsets.start
        offsets.limitParameter = ParameterGrammar.parameter(limitParameter, object, &reading) ?? usual("limit")
        let size = object.value(PageSizeGrammar.size, &reading)
        offsets.limit = object.value(limit, &reading) ?? size?.maximum
        if object.entry(limit.name) != nil, let place = object.entry(PageSizeGrammar.size.name)?.place {
            reading.fault("\(reading.subject) has two page sizes", at: place, expected: "one of limit and size")
        }
        return PagingDeclaration(
            paging: .offset(offsets),
            sizes: PageSizeGrammar.sizes(object, in: offsets.limitParameter, isNumbered: true, &reading))
    }
}

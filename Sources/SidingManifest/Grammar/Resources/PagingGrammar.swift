internal import Siding

/// How to find the next page: `paginate:`.
enum PagingGrammar {
    static let type = ValueType<Paging>.union(of: [
        Variant(
            name: "auto", doc: "A next link, URL or cursor is searched on the first page.",
            shape: Shape([]) { _, _ in .automatic }),
        Variant(name: "none", doc: "There is only one page.", shape: Shape([]) { _, _ in Paging.none }),
        Variant(
            name: "link_header", doc: "Link: <…>; rel=next (RFC 8288).", shape: Shape([]) { _, _ in .linkHeader }),
        Variant(name: "next_url", doc: "A URL in the body or in a header field.", shape: nextURL),
        Variant(name: "cursor", doc: "A token in the answer that goes into the next request.", shape: cursor),
        Variant(
            name: "header_cursor", doc: "A token in a header field that goes into the next request.",
            shape: headerCursor),
        Variant(name: "page", doc: "Page numbers.", shape: page),
        Variant(name: "offset", doc: "Record offsets.", shape: offset),
    ])

    private static let urlPath = Keyword("path", .path, "The path of the URL. Without it: the usual places.")

    private static let urlHeader = Keyword(
        "header", .headerName, "The header field with the URL, or with the number for the query parameter page.")

    private static let nextURL = Shape<Paging>([urlPath.entry, urlHeader.entry]) { object, reading in
        let path = object.value(urlPath, &reading)
        guard let place = object.entry(urlHeader.name)?.place else { return .nextURL(path) }
        if object.entry(urlPath.name) != nil {
            reading.fault("\(reading.subject) has two places of its URL", at: place, expected: "one of path and header")
        }
        return object.value(urlHeader, &reading).map { .nextHeader($0) }
    }

    private static let tokenPath = Keyword("path", .path, "The path of the token. One of path and last.")
    private static let lastPath = Keyword(
        "last", .path,
        "The member of a page's last record whose value the next request sends; an empty page is the last.")
    private static let parameter = Keyword(
        "param", ParameterGrammar.name, isRequired: true,
        "The query parameter for the token; with in: body a member, or a JSON path.")

    private static let cursor = Shape<Paging>([
        tokenPath.entry, lastPath.entry, ParameterGrammar.place.entry, parameter.entry,
    ]) { object, reading in
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
        guard let parameter else { return nil }
        if let path { return .cursor(path, parameter: parameter) }
        return last.map { .lastRecord($0, parameter: parameter) }
    }

    private static let header = Keyword(
        "header", .headerName, isRequired: true, "The header field that holds the token.")

    private static let headerCursor = Shape<Paging>([
        header.entry, ParameterGrammar.place.entry, parameter.entry,
    ]) { object, reading in
        let header = object.value(header, &reading)
        guard let parameter = ParameterGrammar.parameter(parameter, object, &reading), let header else { return nil }
        return .headerCursor(header, parameter: parameter)
    }

    private static let start = ValueType<Int>.integer(0...1_000_000_000)
    private static let amount = ValueType<Int>.integer(1...1_000_000)

    private static let pageParameter = Keyword(
        "param", ParameterGrammar.name, default: "page", "The parameter for the number.")
    private static let firstPage = Keyword("start", start, default: 1, "The number of the first page.")
    private static let sizeParameter = Keyword("size_param", ParameterGrammar.name, "The parameter for the page size.")
    private static let size = Keyword(
        "size", amount, "Records on a page; a shorter one is the last, unless the origin has a smaller maximum.")

    private static let page = Shape<Paging>([
        ParameterGrammar.place.entry, pageParameter.entry, firstPage.entry, sizeParameter.entry, size.entry,
    ]) { object, reading in
        var numbers = Paging.PageNumbers()
        let usual = ParameterGrammar.usual(object, &reading)
        numbers.parameter = ParameterGrammar.parameter(pageParameter, object, &reading) ?? usual("page")
        numbers.start = object.value(firstPage, &reading) ?? numbers.start
        numbers.sizeParameter = ParameterGrammar.parameter(sizeParameter, object, &reading)
        numbers.size = object.value(size, &reading)
        if numbers.sizeParameter != nil, let place = object.entry(sizeParameter.name)?.place,
            object.entry("size") == nil
        {
            reading.fault(
                "'size_param'\(reading.subject.inOwner) has no 'size' to send", at: place, expected: amount.expected)
        }
        return .page(numbers)
    }

    private static let offsetParameter = Keyword(
        "param", ParameterGrammar.name, default: "offset", "The parameter for the offset.")
    private static let firstOffset = Keyword("start", start, default: 0, "The offset of the first record.")
    private static let limitParameter = Keyword(
        "limit_param", ParameterGrammar.name, default: "limit", "The parameter for the limit.")
    private static let limit = Keyword(
        "limit", amount, "Records on a page; a shorter one is the last, unless the origin has a smaller maximum.")

    private static let offset = Shape<Paging>([
        ParameterGrammar.place.entry, offsetParameter.entry, firstOffset.entry, limitParameter.entry, limit.entry,
    ]) { object, reading in
        var offsets = Paging.Offsets()
        let usual = ParameterGrammar.usual(object, &reading)
        offsets.parameter = ParameterGrammar.parameter(offsetParameter, object, &reading) ?? usual("offset")
        offsets.start = object.value(firstOffset, &reading) ?? offsets.start
        offsets.limitParameter = ParameterGrammar.parameter(limitParameter, object, &reading) ?? usual("limit")
        offsets.limit = object.value(limit, &reading)
        return .offset(offsets)
    }
}

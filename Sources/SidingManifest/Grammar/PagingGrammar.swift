internal import Siding

/// How one page leads to the next: `paginate:`.
enum PagingGrammar {
    static let type = ValueType<Paging>.union(of: [
        Variant(
            name: "auto", doc: "A next link, URL or cursor is looked for on the first page.",
            shape: Shape([]) { _, _ in .automatic }),
        Variant(name: "none", doc: "One page is all.", shape: Shape([]) { _, _ in Paging.none }),
        Variant(
            name: "link_header", doc: "Link: <…>; rel=next (RFC 8288).", shape: Shape([]) { _, _ in .linkHeader }),
        Variant(name: "next_url", doc: "A URL in the body.", shape: nextURL),
        Variant(name: "cursor", doc: "A token in the body that goes into the query.", shape: cursor),
        Variant(name: "header_cursor", doc: "A token in a header field that goes into the query.", shape: headerCursor),
        Variant(name: "page", doc: "Page numbers in the query.", shape: page),
        Variant(name: "offset", doc: "Record offsets in the query.", shape: offset),
    ])

    private static let parameterName = ValueType<String>.text("the name of a query parameter")

    private static let urlPath = Keyword("path", .path, "Where the URL is; the usual places where left out.")

    private static let nextURL = Shape<Paging>([urlPath.entry]) { object, reading in
        .nextURL(object.value(urlPath, &reading))
    }

    private static let tokenPath = Keyword("path", .path, isRequired: true, "Where the token is.")
    private static let parameter = Keyword(
        "param", parameterName, isRequired: true, "The query parameter for the token.")

    private static let cursor = Shape<Paging>([tokenPath.entry, parameter.entry]) { object, reading in
        let path = object.value(tokenPath, &reading)
        guard let parameter = object.value(parameter, &reading), let path else { return nil }
        return .cursor(path, parameter: parameter)
    }

    private static let header = Keyword(
        "header", .headerName, isRequired: true, "The header field that holds the token.")

    private static let headerCursor = Shape<Paging>([header.entry, parameter.entry]) { object, reading in
        let header = object.value(header, &reading)
        guard let parameter = object.value(parameter, &reading), let header else { return nil }
        return .headerCursor(header, parameter: parameter)
    }

    private static let start = ValueType<Int>.integer(0...1_000_000_000)
    private static let amount = ValueType<Int>.integer(1...1_000_000)

    private static let pageParameter = Keyword("param", parameterName, default: "page", "The parameter for the number.")
    private static let firstPage = Keyword("start", start, default: 1, "The number of the first page.")
    private static let sizeParameter = Keyword("size_param", parameterName, "The parameter for the page size.")
    private static let size = Keyword("size", amount, "Records on a page; a page with fewer is the last.")

    private static let page = Shape<Paging>([
        pageParameter.entry, firstPage.entry, sizeParameter.entry, size.entry,
    ]) { object, reading in
        var numbers = Paging.PageNumbers()
        numbers.parameter = object.value(pageParameter, &reading) ?? numbers.parameter
        numbers.start = object.value(firstPage, &reading) ?? numbers.start
        numbers.sizeParameter = object.value(sizeParameter, &reading)
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
        "param", parameterName, default: "offset", "The parameter for the offset.")
    private static let firstOffset = Keyword("start", start, default: 0, "The offset of the first record.")
    private static let limitParameter = Keyword(
        "limit_param", parameterName, default: "limit", "The parameter for the limit.")
    private static let limit = Keyword("limit", amount, "Records on a page; a page with fewer is the last.")

    private static let offset = Shape<Paging>([
        offsetParameter.entry, firstOffset.entry, limitParameter.entry, limit.entry,
    ]) { object, reading in
        var offsets = Paging.Offsets()
        offsets.parameter = object.value(offsetParameter, &reading) ?? offsets.parameter
        offsets.start = object.value(firstOffset, &reading) ?? offsets.start
        offsets.limitParameter = object.value(limitParameter, &reading) ?? offsets.limitParameter
        offsets.limit = object.value(limit, &reading)
        return .offset(offsets)
    }
}

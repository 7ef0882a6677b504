// SPDX-License-Identifier: Apache-2.0
/// What a name around the records means for the extent of a listing, such as `totalCount`, `has_more` or `X-Next-Cursor`.
///
/// A name means something only in a spelling of the list below. Capitals, separators and a namespace are ignored: `total_count`,
/// `Total-Count` and `ns:totalcount` are `totalCount`. Any other name means nothing: `total_amount`, `nextEvent`. Only the names of
/// objects that hold what concerns the listing are not listed: origins join the same few words for them (`metaInfo`,
/// `search_results_metadata`).
struct ExtentName: Sendable, Hashable {
    enum Meaning: Sendable, Hashable {
        /// The number of records; it may be one of amounts; it is that of those that match a filter.
        case total, bareTotal, filtered
        /// A number of records that may be those of this page; one that is not exact; those behind this page.
        case count, estimate, remaining
        case pages
        /// A page size; one that goes with offsets; a number in a request that may be one.
        case size, limit, askedSize
        /// Where a page is among the records, or among the pages; the number of all behind it: `{"page": 1, "of": 3}`.
        case offset, pageNumber, of
        /// A flag: there are more pages, or no more; 0 and 1 of this name are a flag, too; it is rather the state of a job, unless it
        /// is beside what concerns pages.
        case more, end, binary, job
        /// The next page; where to continue, so that any value below counts; what may stand for this page instead.
        case next, continuation, possibleNext
        /// A token, even if it is a number.
        case token
        /// What stands for a page in an object; the URL of a link; its relation, always or only among links.
        case reference, url, relation, linkName
        /// The URL of the last page.
        case lastPage
        /// A range of records.
        case range
        /// A word for the records.
        case records
    }

    /// Folded: in lower case, without separators.
    let spelling: String
    let meanings: Set<Meaning>

    /// - Parameter names: what the origin calls its records.
    init(_ name: String, _ names: RecordNames = RecordNames()) { self.init(spelling: Self.folded(name), names) }

    init(spelling: String, _ names: RecordNames) {
        self.spelling = spelling
        meanings = Self.list[spelling] ?? names.generalized(spelling).lazy.compactMap { Self.list[$0] }.first ?? []
    }

    func means(_ meaning: Meaning) -> Bool { meanings.contains(meaning) }

    var isNext: Bool { means(.next) || means(.continuation) }

    /// Whether it names a list of links.
    var isOfLinks: Bool { isMade(with: ["link"]) || isAboutPages }

    /// Whether it names an object with what concerns the whole listing. `$` and `@` alone hold attributes.
    var isContainer: Bool { spelling.isEmpty || Self.isMade(spelling[...], of: Self.containing) }

    /// Whether it names an object or a header field about pages.
    var isAboutPages: Bool { isMade(with: Self.pageWords) }

    /// Whether it is made of words for containers, one of `some` among them.
    private func isMade(with some: [String]) -> Bool {
        // In this order, as few names are made of these words, and each page asks for every header field.
        Self.isMade(spelling[...], of: Self.containing + Self.filling) && some.contains { spelling.contains($0) }
    }

    /// Whether a folded name is made of these words alone.
    static func isMade(_ text: Substring, of words: [String]) -> Bool {
        words.contains { text == $0 || (text.hasPrefix($0) && isMade(text.dropFirst($0.count), of: words)) }
    }

    private static let containing = words(
        """
        meta metadata pagination paging page pager paginator info information link links response result results set \
        data cursor cursors list collection search hits header headers range summary status attr attrs attribute \
        attributes additional
        """)
    private static let filling = words("x wp ms odata query")
    private static let pageWords = words("page paging pagination pager paginator meta")

    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    /// By bytes, as this is asked of every header field of every page.
    static func folded(_ name: String) -> String {
        var letters: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: ":"): letters.removeAll(keepingCapacity: true)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): letters.append(byte | 0x20)
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
                letters.append(byte)
            default: break
            }
        }
        return String(decoding: letters, as: UTF8.self)
    }

    // MARK: The list

    private static let list: [String: Set<Meaning>] = {
        var list: [String: Set<Meaning>] = [:]
        for (prefixes, rows) in [([""], spellings), (["", "x"], spellingsOfFields)] {
            for (meanings, names) in rows {
                for name in names.split(whereSeparator: \.isWhitespace).flatMap(expanded) {
                    for prefix in prefixes { list[prefix + folded(name), default: []].formUnion(meanings) }
                }
            }
        }
        return list
    }()

    private static func expanded(_ name: Substring) -> [String] {
        guard name.contains("*") else { return [String(name)] }
        return records.split(separator: " ").map { String(name).replacing("*", with: $0) }
    }

    /// What `*` stands for in the list.
    private static let records = """
        record records result results item items row rows element elements entry entries object objects hit hits match \
        matches document documents docs data resource resources node nodes edge edges
        """

    /// Names of members, and of header fields, there also with `X-`.
    private static let spellingsOfFields: [(Set<Meaning>, String)] = [
        ([.total], "total"),
        ([.total], "totals totalCount totalCounts totalSize totalNum totalNumber totalFound totalMatched"),
        ([.total], "totalMatching totalAvailable totalOfAll totalsCount overallTotal countTotal countAll countOfAll"),
        ([.total], "allCount availableCount found foundCount matched matchedCount matchingCount numFound numMatched"),
        ([.total], "nbFound numberFound numberMatched total* total*Count total*Found total*Available totalNumberOf*"),
        ([.total], "totalSearch* *Total *Count *Found *Matched num* nb* numberOf* countOf* all*Count available*"),
        ([.total], "matching* matched* odataCount wpTotal listTotal searchTotal paginationTotal"),
        ([.total], "collectionTotal collectionTotalCount paginationTotalCount paginationTotal* totals* pagingTotal"),
        ([.total], "totalAll numTotal totalCnt countsTotal matching count* found* *Available *Matching *TotalCount"),
        ([.total], "noOf* totalMatching* totalAvailable* pagingTotal*Count"),
        ([.total, .filtered], "totalFiltered totalFilteredCount filteredTotal filteredCount filterCount *Filtered"),
        ([.total, .filtered], "filtered* countFiltered totalFiltered*"),
        ([.count], "count counts cnt"),
        ([.count], "collectionCount overallCount paginationCount listCount searchCount"),
        ([.estimate], "estimatedTotal estimatedTotalCount estimatedTotal* estimatedCount estimated*Count"),
        ([.estimate], "estimatedHits estimatedRecords estimatedResults totalEstimate totalEstimated"),
        ([.estimate], "totalEstimatedCount totalEstimated* countEstimate estimateCount approximateTotal"),
        ([.estimate], "approximateTotalCount approximateTotal* approximateCount approximate*Count approxTotal"),
        ([.estimate], "approxCount estimatedItems estimatedRows estimatedMatches estimatedDocuments estimateTotal"),
        ([.estimate], "totalApproximate approximateNumberOfResults"),
        ([.pages], "pages pageCount totalPage totalPages totalPageCount pageTotal pagesTotal pagesCount numPages"),
        ([.pages], "nbPages noOfPages numberOfPages totalNumberOfPages lastPage lastPageNumber maxPage maxPages"),
        ([.pages], "pagesPage pagesLast pagesTotalPages wpTotalPages paginationPages paginationPageCount"),
        ([.pages], "paginationTotalPages availablePages pagesAvailable countPages totalPagesCount totalNumPages"),
        ([.pages], "lastPageNum maxPageNumber"),
        ([.size], "per perPage *PerPage max* max*PerPage maxPerPage pageSize pageLength pageLen pageLimit"),
        ([.size], "maxPageSize paginationPageSize paginationPerPage limitPerPage"),
        ([.size, .limit], "limit take top *Limit paginationLimit listLimit searchLimit queryLimit collectionLimit"),
        ([.size, .limit], "pagingLimit maxLimit"),
        ([.more, .binary], "more moreAvailable moreExist moreExists morePages morePagesAvailable more*"),
        (
            [.more, .binary],
            "more*Available more*InCollection hasMore haveMore isMore areMore hasMorePage hasMorePages hasMore*"
        ),
        ([.more, .binary], "hasNext hasNextPage hasNextPages hasNext* hasAdditional hasAdditionalPages"),
        (
            [.more, .binary],
            "hasAdditional* additional*Available isMoreAvailable isNextAvailable isNextPageAvailable isTruncated"
        ),
        ([.more, .binary], "isPartial isIncomplete paginationHasMore paginationHasNext haveNext haveMore*"),
        ([.more, .binary], "isMore*Available is*Truncated paginationHasNextPage"),
        ([.more], "truncated truncated* *Truncated listTruncated incomplete incomplete* partial partial* nextExists"),
        ([.more], "nextAvailable nextPageExists nextPageAvailable limitExceeded exceededLimit exceededTransferLimit"),
        ([.more], "transferLimitExceeded incompleteSearch exceeded *Incomplete"),
        ([.end, .binary], "isLast isLastPage isLast* isDone isEnd isEnded isEof isEndOfList isEndOfStream isEndOf*"),
        ([.end, .binary], "isFinal isFinalPage isFinished isComplete isCompleted isExhausted isEndReached"),
        ([.end, .binary], "hasReachedEnd"),
        ([.end], "last lastPage lastPageReached done end ended endOfList endOfPages endOfStream endOf* endReached"),
        ([.end], "eof final finalPage finished exhausted listComplete *Complete reachedEnd"),
        ([.end, .job], "complete completed"),
        ([.next], "next nextPage nextPages nextLink nextUrl nextUri nextHref nextPageLink nextPageUrl nextPageUri"),
        ([.next], "nextPageHref nextPageNumber nextPageNum nextPageIndex nextPageOffset nextPageStart nextPageKey"),
        ([.next], "nextPageId nextPagePath nextPageQuery nextPageParams nextPageRequest nextNumber nextIndex"),
        ([.next], "nextOffset nextSkip nextKey nextId nextMaxId nextStart nextStartIndex nextStartKey nextStartId"),
        ([.next], "nextFrom nextAfter nextSearchAfter nextSince nextPosition nextPartition nextPartitionKey"),
        ([.next], "nextBatch nextRequest nextPath nextQuery nextParams nextMarker nextBookmark nextScroll"),
        ([.next], "nextScrollId nextRecords nextRecordsUrl nextResults nextResultsUrl odataNextLink paginationNext"),
        ([.next], "pagingNextLink nextSinceId paginationNextPage nextRecord nextResult nextNum linkNext pageNext"),
        ([.next, .token], "nextToken nextCursor nextCursorMark nextCursorId nextPageToken nextPageCursor"),
        ([.next, .token], "nextStartToken nextStartCursor nextBatchToken nextListToken nextSearchToken"),
        ([.next, .token], "nextQueryToken paginationNextCursor paginationNextToken cursorNext"),
        ([.continuation], "continue continueFrom resumption resumptionKey continueUrl"),
        ([.continuation, .token], "continuation continuationToken continuationKey continuationCursor"),
        ([.continuation, .token], "continuationUrl continuationUri continuationLink continuationId continueToken"),
        ([.continuation, .token], "resumptionToken lastEvaluated lastEvaluatedKey lastEvaluatedId msContinuation"),
        ([.continuation, .token], "msContinuationToken"),
        ([.possibleNext], "bookmark endBookmark marker endMarker lastMarker scroll scrollId after afterId afterKey"),
        ([.possibleNext], "searchAfter"),
        ([.possibleNext, .token], "cursor cursorId cursorKey cursorMark cursorToken cursorAfter endCursor"),
        ([.possibleNext, .token], "lastCursor afterCursor afterToken pageCursor scrollToken paginationCursor"),
        ([.range], "range contentRange itemRange itemsRange resultRange"),
    ]

    /// Names of members and parameters.
    private static let spellings: [(Set<Meaning>, String)] = [
        ([.total, .bareTotal], "total"),
        ([.count], "records results items elements entries objects hits matches documents docs resultSize"),
        ([.count], "resultsSize"),
        ([.remaining], "remaining remainingCount remaining* remaining*Count *Remaining *Left"),
        ([.size], "size rows"),
        ([.askedSize], "n num first max length rpp size limit count batchSize batchLimit chunkSize offsetLimit"),
        ([.askedSize], "filterLimit filterSize num* *Count *Size"),
        ([.offset], "offset skip start from startIndex startAt startFrom startOffset fromIndex currentOffset"),
        ([.pageNumber], "page number pageNumber pageNum pageNo pageIndex currentPage currentPageNumber"),
        ([.pageNumber], "currentPageIndex"),
        ([.of], "of"),
        ([.possibleNext], "offset"),
        ([.possibleNext, .token], "pageToken"),
        ([.reference], "page pages number pageNumber offset start startIndex position index key id path query"),
        ([.reference], "params request batch from after afterId since max maxId marker bookmark scroll scrollId"),
        ([.reference], "partition partitionKey next nextPage"),
        ([.reference, .token], "token cursor pageToken nextToken nextCursor nextPageToken"),
        ([.token], "cursors"),
        ([.reference, .url], "href url uri link"),
        ([.relation], "rel relation ref"),
        ([.linkName], "name type"),
        ([.lastPage], "last lastUrl lastUri lastHref lastLink lastPage lastPageUrl lastPageUri lastPageHref"),
        ([.lastPage], "lastPageLink"),
        ([.records], "*"),
    ]
}

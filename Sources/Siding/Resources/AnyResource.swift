// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes
public import SidingChain
public import SidingJSON
package import SidingPaging

/// A collection at a source: what to fetch, how it is paged, and which members form a record's key.
public struct AnyResource: Sendable {
    /// The name of the view in the database, and of the resource on the command line.
    public var name: String
    /// The origin that has it.
    public var source: Source
    /// The path below the source's base URL; may contain a query.
    public var path: String
    /// GET, or POST for a search.
    public var method = HTTPRequest.Method.get
    /// The body of page requests, for POST.
    package var body: SearchBody?
    /// Parameters of every request, beside those of the path and of ``paging``.
    public var query: [String: QueryValue] = [:]
    /// How the query is written.
    public var queryEncoding = QueryEncoding()
    /// The path of the records, or `JSONPath.lines`; nil for the root array, or the only array of the root object.
    public var records: JSONPath?
    /// The members that form the key, or `JSONPath.memberName`; several paths make a composite key.
    public var key: [JSONPath]
    /// How a page leads to the next.
    public var paging: Paging
    /// The sizes of page that requests ask for; nil if they ask for none, or `paging` sends its one size.
    package var pageSizes: PageSizes?
    /// When a listing ends before its pages do.
    public var stop = StopRules()
    /// Requests only changes; nil requests everything.
    package var cursor: IncrementalCursor?
    /// Whether stored validators are sent, so that unchanged pages answer 304.
    public var isConditional = true
    /// How old the last complete listing may be before the resource counts as stale.
    public var maxAge: Duration?
    /// When a service syncs the resource; nil: whenever it is older than `maxAge`.
    public var schedule: (any SyncSchedule)?
    /// The schema of the records: columns, contract, history and transforms.
    package var schema = RecordSchema()
    /// Which records are kept; nil for all.
    package var keptRecords: RecordRetention?
    /// How deletions at the origin are found; by default they are not.
    public var deletions = Deletions()
    /// Whether records never move between pages while they are read, as with many cursors and next URLs. Then a record that is
    /// missing from one complete listing, read by one run, was deleted; otherwise it has to be missing from two in a row.
    public var isStable = false
    /// Makes one listing per record of another resource; nil for a single listing.
    package var forEach: ForEach?
    /// The writes of this name that the config declares: none or one, in an array, as a declaration holds its resource.
    package var writes: [WriteDeclaration] = []
    /// Whether there are such writes: the view then counts pending edits before the first one.
    package var isWritten: Bool { !writes.isEmpty }

    /// The parameters are the properties of the same names; set the others on the value.
    package init(
        _ name: String, from source: Source, at path: String, key: [JSONPath], paging: Paging = .automatic
    ) {
        (self.name, self.source, self.path, self.key, self.paging) = (name, source, path, key, paging)
    }

    /// A resource whose key is a single member: `key` is its name, or the path of a nested one (`$.meta.id`). The parameters are
    /// the properties of the same names.
    public init(_ name: String, from source: Source, at path: String, key: String, paging: Paging = .automatic) {
        let isPath = key.hasPrefix("$.") || key.hasPrefix("$[")
        let member = isPath ? try? JSONPath(parsing: key) : nil
        self.init(name, from: source, at: path, key: [member ?? JSONPath(member: key)], paging: paging)
    }
}

/// When a listing ends before its pages do.
public struct StopRules: Sendable, Hashable {
    /// The maximum number of pages per listing; reaching it ends the listing as incomplete.
    public var maxPages: Int?
    /// A member of the envelope that is `false` on the last page.
    public var hasMore: JSONPath?
    /// A member of the envelope that is `true` on the last page.
    public var isLast: JSONPath?
    /// Whether a page without records is the last one, even if it names a next one.
    public var endsOnEmptyPage = false
    /// Whether a page without a next one is the last one, even if the origin reports more records or pages.
    public var trustsEnd = false

    /// No rule by default: a listing ends with its pages.
    public init(maxPages: Int? = nil, hasMore: JSONPath? = nil, isLast: JSONPath? = nil) {
        (self.maxPages, self.hasMore, self.isLast) = (maxPages, hasMore, isLast)
    }

    /// The rules as an aspect of the resource's definition; nil if they do not affect which records a listing has.
    var definition: String? {
        let parts = [
            hasMore.map { "has_more \($0)" }, isLast.map { "is_last \($0)" }, endsOnEmptyPage ? "empty_page" : nil,
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "\n")
    }
}

extension AnyResource: Changeable {}

/// Anything that can be synced: a typed `Resource` or an ``AnyResource``, side by side in one list.
public protocol SyncedResource: Sendable {
    /// The resource as the engine needs it.
    var untyped: AnyResource { get }
}

extension SyncedResource {
    /// The name of the resource.
    public var name: String { untyped.name }
}

extension AnyResource: SyncedResource {
    /// Itself.
    public var untyped: AnyResource { self }
}

internal import SidingJSON
internal import HTTPTypes

/// How far the cursor of one listing has come.
struct CursorTrack: Sendable {
    /// Nil for a resource without a cursor, and for a listing of its own.
    let rule: IncrementalCursor?
    /// Where the listing began, and where it ends, if anywhere.
    let start: CursorStart
    /// The stored cursor when the listing was opened.
    let stored: String?
    /// The furthest value of the pages that were saved, in this run and before.
    private(set) var reached: String?
    private(set) var unusable = 0
    private(set) var future: String?

    init(_ rule: IncrementalCursor?, start: CursorStart, stored: String?, reached: String?) {
        (self.rule, self.start, self.stored, self.reached) = (rule, start, stored, reached)
    }

    /// Takes in what `page` says, and gives what is to be stored with it; nil where there is no cursor.
    mutating func move(with page: FetchedPage) -> CursorMove? {
        guard let rule else { return nil }
        if let cursor = page.cursor { see(cursor, rule, isFirst: page.page.number == 1) }
        let isMoved = page.next == .end || rule.goesOnAtCursor
        guard isMoved, start.moves else { return CursorMove(reached: reached, moved: nil) }
        let moved = reached.map { rule.isOfRecords ? rule.further(stored, $0) : $0 }
        // A listing that ends without news vouches for the same value anew: it has grown no older.
        return CursorMove(reached: reached, moved: page.next == .end ? moved ?? stored : moved == stored ? nil : moved)
    }

    private mutating func see(_ cursor: PageCursor, _ rule: IncrementalCursor, isFirst: Bool) {
        unusable += cursor.unusable
        future = future ?? cursor.future
        guard let furthest = cursor.furthest else { return }
        switch rule.place {
        case .record: reached = rule.further(reached, furthest)
        case .envelope: reached = furthest
        case .header: if isFirst { reached = furthest }
        }
    }

    /// Whether all that follows `page` lies outside of what was asked for.
    func isPast(_ page: FetchedPage) -> Bool {
        guard let rule, let cursor = page.cursor else { return false }
        switch rule.order {
        case .descending:
            guard let from = start.from, let furthest = cursor.furthest else { return false }
            return rule.isFurther(from, than: furthest)
        case .ascending:
            guard let until = start.until, let nearest = cursor.nearest else { return false }
            return rule.isFurther(nearest, than: until)
        case nil: return false
        }
    }

    /// What a person should know; empty where all is well.
    var warnings: [String] {
        guard let rule else { return [] }
        var warnings: [String] = []
        if unusable > 0 {
            let what = rule.isOfRecords ? "\(unusable) records have" : "\(unusable) pages have"
            warnings.append("\(what) no \(rule.type.rawValue) at \(rule.description) for the cursor")
        }
        if let future {
            warnings.append("the cursor does not follow \(future), which lies in the future: check the clocks")
        }
        return warnings
    }
}

/// What a saved page does to its resource's cursor.
public struct CursorMove: Sendable, Hashable {
    /// The furthest value of the listing so far.
    public var reached: String?
    /// The resource's cursor from now on; nil where it stays.
    public var moved: String?

    public init(reached: String?, moved: String?) {
        (self.reached, self.moved) = (reached, moved)
    }
}

extension IncrementalCursor: CustomStringConvertible {
    var isOfRecords: Bool {
        if case .record = place { true } else { false }
    }

    /// Where the value is found.
    public var description: String {
        switch place {
        case .record(let path): path.description
        case .envelope(let path): "\(path) of the envelope"
        case .header(let name): "the header field \(name)"
        }
    }
}

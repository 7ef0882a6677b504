public import SidingChain

/// A resource's cursor as it is stored.
public struct StoredCursor: Sendable, Hashable {
    public var value: String
    public var movedAt: Timestamp
    /// The definition under which it was found: under another one it means nothing.
    public var definition: ResourceDefinition
    /// Where the listing begins that it was found in; see ``ListingOpening/root``.
    public var root: String?

    public init(value: String, movedAt: Timestamp, definition: ResourceDefinition, root: String? = nil) {
        (self.value, self.movedAt, self.definition, self.root) = (value, movedAt, definition, root)
    }
}

/// What a saved page does to its resource's cursor.
public struct CursorMove: Sendable, Hashable {
    /// The value that the listing begins at: one that goes on at its cursor asks for changes from there on, and no longer for
    /// all there is.
    public var from: String?
    /// The furthest value of the listing so far that it may go on at.
    public var reached: String?
    /// The resource's cursor from now on; nil where it stays.
    public var moved: String?
    /// Whether the cursor is what it was before the listing: ``moved``, or none.
    public var takesBack: Bool
    /// Whether only the listing's end moves the cursor, as its pages came out of order; where the newest come first, whether the
    /// listing goes to its end for that reason.
    public var waits: Bool

    public init(
        from: String? = nil, reached: String?, moved: String?, takesBack: Bool = false, waits: Bool = false
    ) {
        (self.from, self.reached, self.moved, self.takesBack, self.waits) = (from, reached, moved, takesBack, waits)
    }
}

// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

/// What a saved page does to its resource's cursor.
struct CursorMove: Sendable, Hashable {
    /// The value that the listing begins at: one that goes on at its cursor asks for changes from there on, and no longer for
    /// all there is.
    var from: String?
    /// The furthest value of the listing so far that it may go on at.
    var reached: String?
    /// The resource's cursor from now on; nil where it stays.
    var moved: String?
    /// Whether the cursor is what it was before the listing: ``moved``, or none.
    var takesBack = false
    /// When the listing began, where that bounds the values: a later run goes on with the same bound.
    var began: Timestamp?
    /// Whether pages of the listing came out of order: then only its end moves the cursor, or it is read to its end.
    var waits = false
}

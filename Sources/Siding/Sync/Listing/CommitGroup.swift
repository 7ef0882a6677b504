// SPDX-License-Identifier: Apache-2.0
/// The pages of a listing that have arrived and are not saved yet. They are saved in one transaction, so that small and
/// unchanged pages do not each wait for the disk.
///
/// Its bounds limit what is kept in memory, and what is fetched again after a crash.
struct CommitGroup: Sendable {
    /// With this many records, another page hardly makes a record cheaper.
    static let mostRecords = 500
    static let mostBytes = 1 << 20
    static let mostPages = 500
    /// An unchanged page that arrives within this time of the last commit waits for the page after it. On a line that takes longer
    /// for a page, each is saved as it arrives.
    static let longestWait = Duration.milliseconds(100)

    private(set) var pages: [ListedPage] = []
    private var records = 0
    private var bytes = 0
    /// Whether all pages are answers 304 in the middle of a listing: saving them changes no record.
    private var isUnchanged = true

    var isEmpty: Bool { pages.isEmpty }

    /// Whether no further page is to be fetched before the saving of these begins.
    var isFull: Bool { records >= Self.mostRecords || bytes >= Self.mostBytes || pages.count >= Self.mostPages }

    /// Whether the pages are to be saved now, if nothing else is being saved.
    ///
    /// - Parameter elapsed: the time since the last commit, or since the listing was opened.
    func isDue(after elapsed: Duration) -> Bool {
        !isEmpty && (!isUnchanged || isFull || elapsed >= Self.longestWait)
    }

    mutating func append(_ listed: ListedPage) {
        pages.append(listed)
        if case .notModified = listed.page.content { return }
        isUnchanged = false
        records += listed.page.recordCount
        bytes += listed.page.content.size
    }

    /// Empties the group.
    mutating func removeAll() -> [ListedPage] {
        defer { self = CommitGroup() }
        return pages
    }
}

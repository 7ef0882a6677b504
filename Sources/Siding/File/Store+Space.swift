// SPDX-License-Identifier: Apache-2.0
package import SidingSQLite
internal import SidingSynchronization

/// The result of giving back free pages.
package struct SpaceReturned: Sendable, Hashable {
    /// The size of the file before and after, without the WAL.
    package var bytesBefore: Int
    package var bytesAfter: Int
    /// The free bytes that are left in the file.
    package var freeBytes: Int
    /// Whether a reader, or another writer, holds the checkpoint up that shortens the file to ``bytesAfter``.
    package var isHeldUp = false
}

extension Store {
    /// How long a step of giving back pages may hold the writer lock, and how long the pause after it is: longer than the pauses
    /// of a writer that waits for the lock. It works on pages, not rows; the first steps are small.
    private static let steps = Batches.Limits(
        time: .milliseconds(20), pause: .milliseconds(10), first: 32, rows: 16...2_048)
    /// A checkpoint comes as often: one of a long WAL would keep a writer waiting.
    private static let pagesInWAL = 512

    /// The free pages of the file that a run gives back at its end: more than a quarter of it and more than 4 MiB.
    private static let manyBytes = 4 << 20
    private static let manyShare = 4
    private static let mostStepsOfRun = 20

    package func space() async throws(StoreError) -> DatabaseSpace { try await read { try $0.space() } }

    /// Gives free pages back to the file system, step by step, while others read and write.
    ///
    /// - Parameters:
    ///   - most: the maximum number of steps.
    ///   - progress: called after each step with the pages that were free at the beginning, and those that are left.
    /// - Throws: ``StoreError/Kind/unsupported`` for a file that was made without this.
    @discardableResult
    package func giveBackFreePages(
        steps most: Int = .max, progress: (_ all: Int, _ left: Int) -> Void = { _, _ in }
    ) async throws(StoreError) -> SpaceReturned {
        let before = try await space()
        guard before.isIncremental else {
            throw StoreError(
                .unsupported, "\(path) was made without a way to give free pages back in steps",
                hint: "'siding db vacuum --full' rewrites it once, while no other process uses it")
        }
        var (left, count) = (before.freePages, 0)
        var batches = Batches(self, Self.steps)
        while left > 0, count < most, !Task.isCancelled {
            try await batches.write { pages, transaction in try transaction.giveBack(pages: pages) }
            try await checkpoint(over: Self.pagesInWAL)
            count += 1
            left = try await space().freePages
            progress(before.freePages, left)
        }
        let isHeldUp = try await checkpoint(over: 0) == .busy
        var returned = try await returned(since: before)
        returned.isHeldUp = isHeldUp
        return returned
    }

    /// Gives free pages back at the end of a run, if they are many: a bounded number of steps.
    func giveBackManyFreePages() async throws(StoreError) {
        let space = try await space()
        guard space.isIncremental, space.freeBytes > Self.manyBytes, space.freePages * Self.manyShare > space.pages
        else { return }
        try await giveBackFreePages(steps: Self.mostStepsOfRun)
    }

    /// Rewrites the whole file (VACUUM). Writers wait until it ends.
    ///
    /// - Throws: ``StoreError/Kind/busy`` if another process has the file open, ``StoreError/Kind/full`` without the room for a copy.
    package func rewrite() async throws(StoreError) -> SpaceReturned {
        let before = try await space()
        do { try await writer?.rewrite() } catch {
            var error = StoreError(mapping: error)
            if error.kind == .busy { error.hint = "stop it first, or leave --full out, which works beside others" }
            throw error
        }
        return try await returned(since: before)
    }

    private func returned(since before: DatabaseSpace) async throws(StoreError) -> SpaceReturned {
        let after = try await space()
        return SpaceReturned(
            bytesBefore: before.pages * before.pageSize, bytesAfter: after.pages * after.pageSize,
            freeBytes: after.freeBytes)
    }

    @discardableResult
    private func checkpoint(over pages: Int) async throws(StoreError) -> CheckpointOutcome? {
        do { return try await writer?.checkpointIfNeeded(over: pages, waits: false) } catch {
            throw StoreError(mapping: error)
        }
    }
}

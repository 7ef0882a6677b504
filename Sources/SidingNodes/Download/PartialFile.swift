// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSynchronization

/// An unfinished download: a file with a hidden name in the directory of the final one, locked against other downloads, with a
/// record of the bytes that are on disk, until it is complete and gets its name.
///
/// Bytes are synchronized before they are recorded: after a power cut a file may be longer than its valid content.
actor PartialFile {
    /// After this many bytes the file is synchronized and the record updated: the most that a killed program has to request
    /// again.
    static let checkpoint: Int64 = 16 << 20

    private let paths: DownloadPaths
    private let queue = SerialWorker(label: "siding.download")
    private var descriptor: Int32 = -1
    private var record: ResumeRecord?
    /// Whether the bytes of an earlier download are unchanged.
    private var isUntouched = true
    /// The size of the file in bytes.
    private(set) var size: Int64 = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    init(_ paths: DownloadPaths) {
        self.paths = paths
    }

    deinit {
        Disk.release(descriptor)
    }

    /// Opens and locks the file; returns the record of an earlier download if it is usable.
    ///
    /// - Throws: a `Failure` that names the path, also if another download to it is under way.
    func take() throws(Failure) -> ResumeRecord? {
        guard !Disk.isDirectory(paths.file) else {
            throw Disk.refusal("'\(paths.file)' is a directory; name the file to download to")
        }
        for _ in 0..<16 {
            descriptor = try Disk.openOwn(paths.part)
            guard try Disk.lock(descriptor, paths.part) else {
                throw Disk.refusal("another download to '\(paths.file)' is under way; wait for its end")
            }
            // The download that held the lock a moment ago has renamed or removed the file: try again.
            if FileSystem.isInPlace(descriptor, paths.part) { return try found() }
            close()
        }
        throw Disk.refusal("'\(paths.part)' keeps appearing and disappearing: another program creates and removes it")
    }

    private func found() throws(Failure) -> ResumeRecord? {
        size = try Disk.size(descriptor, paths.part)
        guard let found = Disk.read(paths.record, upTo: ResumeRecord.sizeLimit).flatMap({ ResumeRecord($0) }),
            found.bytes > 0, found.bytes <= size
        else { return nil }
        record = found
        return found
    }

    /// Starts at the first byte and discards the existing content.
    ///
    /// - Parameter record: the record to resume from after a failure; nil if the download cannot be resumed.
    func begin(_ record: ResumeRecord?) throws(Failure) {
        (self.record, isUntouched) = (nil, false)
        // The record goes first: it must never describe bytes that no longer exist.
        try Disk.remove(paths.record)
        try Disk.cut(descriptor, to: 0, paths.part)
        size = 0
        guard let record else { return }
        self.record = record
        try write(record)
    }

    /// Continues after the recorded bytes; later ones may not have reached the disk before a power cut.
    func resume(_ record: ResumeRecord) throws(Failure) {
        try Disk.cut(descriptor, to: record.bytes, paths.part)
        (self.record, size, isUntouched) = (record, record.bytes, false)
    }

    func append(_ bytes: [UInt8]) throws(Failure) {
        try Disk.append(bytes, to: descriptor, paths.part)
        size += Int64(bytes.count)
        if let record, size - record.bytes >= Self.checkpoint { try save(record) }
    }

    /// Renames the complete file to its final name, durably.
    func finish(permissions: UInt32) throws(Failure) {
        try Disk.setMode(permissions, of: descriptor, paths.part)
        try Disk.synchronize(descriptor, paths.part)
        // Before the rename: after it, the next download to this path may have its own record there.
        try Disk.remove(paths.record)
        record?.bytes = 0
        try Disk.move(paths.part, to: paths.file)
        close()
        try Disk.synchronize(directory: paths.directory)
    }

    /// Ends without a complete file: keeps the part if it can be resumed, removes it otherwise.
    ///
    /// It throws nothing: the failure that led here matters, and the last saved record is still valid.
    func keep() {
        guard descriptor >= 0 else { return }
        if let record {
            if !isUntouched {
                // A full disk may have taken half of the last write; truncating it may free space for the record.
                try? Disk.cut(descriptor, to: size, paths.part)
                try? save(record)
            }
            close()
        } else {
            try? discard()
        }
    }

    /// Removes the part and its record.
    func discard() throws(Failure) {
        record = nil
        try Disk.remove(paths.record)
        try Disk.remove(paths.part)
        close()
    }

    private func save(_ record: ResumeRecord) throws(Failure) {
        guard size != record.bytes else { return }
        var saved = record
        saved.bytes = size
        try Disk.synchronize(descriptor, paths.part)
        try write(saved)
        self.record = saved
    }

    private func write(_ record: ResumeRecord) throws(Failure) {
        try Disk.write(record.encoded, to: paths.record, by: paths.recordDraft)
    }

    private func close() {
        Disk.release(descriptor)
        descriptor = -1
    }
}

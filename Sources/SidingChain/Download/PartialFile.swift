internal import SidingSynchronization

/// A file that comes piece by piece: beside its final name under a hidden one, locked against other downloads, with a
/// record of what is safely on disk, until it is whole and gets its name.
///
/// What is recorded was brought to disk before: after a power cut a file may be longer than what it holds.
actor PartialFile {
    /// After so many bytes the disk is waited for and the record moves on: the most that a killed program asks for again.
    static let checkpoint: Int64 = 16 << 20

    private let paths: DownloadPaths
    private let queue = SerialWorker(label: "siding.download")
    private var descriptor: Int32 = -1
    private var record: ResumeRecord?
    /// Whether an earlier download's bytes are still as it left them.
    private var isUntouched = true
    /// The bytes of the file.
    private(set) var size: Int64 = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    init(_ paths: DownloadPaths) {
        self.paths = paths
    }

    deinit {
        Disk.release(descriptor)
    }

    /// Opens and locks the file; gives the record of what an earlier download left, where it can be relied on.
    ///
    /// - Throws: a ``Failure`` that names the path, also where another download to it is under way.
    func take() throws(Failure) -> ResumeRecord? {
        guard !Disk.isDirectory(paths.file) else {
            throw Disk.refusal("'\(paths.file)' is a directory; name the file to download to")
        }
        for _ in 0..<16 {
            descriptor = try Disk.openOwn(paths.part)
            guard try Disk.lock(descriptor, paths.part) else {
                throw Disk.refusal("another download to '\(paths.file)' is under way; wait for its end")
            }
            // The download that held the lock a moment ago has renamed or removed the file: look again.
            if Disk.isInPlace(descriptor, paths.part) { return try found() }
            close()
        }
        throw Disk.refusal("'\(paths.part)' comes and goes; is another program at work there?")
    }

    private func found() throws(Failure) -> ResumeRecord? {
        size = try Disk.size(descriptor, paths.part)
        guard let found = Disk.read(paths.record, upTo: ResumeRecord.sizeLimit).flatMap({ ResumeRecord($0) }),
            found.bytes > 0, found.bytes <= size
        else { return nil }
        record = found
        return found
    }

    /// Begins at the first byte, forgetting what was there.
    ///
    /// - Parameter record: what it takes to go on after a failure; nil where nothing can.
    func begin(_ record: ResumeRecord?) throws(Failure) {
        (self.record, isUntouched) = (nil, false)
        // First the record: it must never speak of bytes that are gone.
        try Disk.remove(paths.record)
        try Disk.cut(descriptor, to: 0, paths.part)
        size = 0
        guard let record else { return }
        self.record = record
        try write(record)
    }

    /// Goes on behind what the record speaks of; bytes beyond may not have reached the disk before a power cut.
    func resume(_ record: ResumeRecord) throws(Failure) {
        try Disk.cut(descriptor, to: record.bytes, paths.part)
        (self.record, size, isUntouched) = (record, record.bytes, false)
    }

    func append(_ bytes: [UInt8]) throws(Failure) {
        try Disk.append(bytes, to: descriptor, paths.part)
        size += Int64(bytes.count)
        if let record, size - record.bytes >= Self.checkpoint { try save(record) }
    }

    /// Gives the whole file its name, for good.
    func finish(permissions: UInt32) throws(Failure) {
        try Disk.setMode(permissions, of: descriptor, paths.part)
        try Disk.synchronize(descriptor, paths.part)
        // Before the rename: after it, the next download to this path may have a record of its own there.
        try Disk.remove(paths.record)
        record?.bytes = 0
        try Disk.move(paths.part, to: paths.file)
        close()
        try Disk.synchronize(directory: paths.directory)
    }

    /// Ends without a whole file: what can be gone on with is kept, the rest is removed.
    ///
    /// Nothing is thrown: the failure that led here is the news, and what the last record speaks of still holds.
    func keep() {
        guard descriptor >= 0 else { return }
        if let record {
            if !isUntouched {
                // A full disk took half of the last piece: without it there may be room for the record.
                try? Disk.cut(descriptor, to: size, paths.part)
                try? save(record)
            }
            close()
        } else {
            try? discard()
        }
    }

    /// Removes everything.
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

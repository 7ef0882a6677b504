// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSynchronization

/// Reads one body once, in chunks, holding at most one chunk of a file in memory.
final class MultipartReader: Sendable {
    /// The maximum size of a chunk: 256 KiB.
    static let chunkSize = 256 << 10

    private let queue = SerialWorker(label: "siding.multipart")
    private let cursor: Mutex<MultipartCursor>

    init(_ segments: [MultipartSegment]) {
        cursor = Mutex(MultipartCursor(segments))
    }

    /// The next chunk, or nil at the end.
    ///
    /// - Throws: a failure in phase `maybeSent` if a file has changed since the body was made. Later calls throw it again, so
    ///   that a broken body never seems to end.
    func next() async throws(Failure) -> [UInt8]? {
        try await queue.run { () throws(Failure) in
            try self.cursor.withLock { (cursor) throws(Failure) in try cursor.next() }
        }
    }
}

/// The reading position in a body.
private struct MultipartCursor: ~Copyable {
    private let segments: [MultipartSegment]
    private var index = 0
    /// The bytes of the current segment that have been returned.
    private var offset = 0
    private var open: LocalFile?
    private var broken: Failure?

    init(_ segments: [MultipartSegment]) {
        self.segments = segments
    }

    mutating func next() throws(Failure) -> [UInt8]? {
        if let broken { throw broken }
        do throws(Failure) { return try chunk() } catch {
            broken = error
            throw error
        }
    }

    /// Fills the chunk from as many segments as fit, so that small fields do not cause small writes.
    private mutating func chunk() throws(Failure) -> [UInt8]? {
        var chunk: [UInt8] = []
        while chunk.count < MultipartReader.chunkSize, index < segments.count {
            switch segments[index] {
            case .bytes(let bytes): copy(bytes, into: &chunk)
            case .file(let file): try read(file, into: &chunk)
            }
        }
        return chunk.isEmpty ? nil : chunk
    }

    private mutating func copy(_ bytes: [UInt8], into chunk: inout [UInt8]) {
        let count = min(MultipartReader.chunkSize - chunk.count, bytes.count - offset)
        chunk += bytes[offset..<offset + count]
        offset += count
        if offset == bytes.count { advance() }
    }

    private mutating func read(_ file: MultipartFile, into chunk: inout [UInt8]) throws(Failure) {
        let source = try opened(file)
        // A file of another size would run into the next part, or end in the middle of this one.
        guard try source.size() == file.size else { throw source.failure("changed its size while it was sent") }
        let count = min(MultipartReader.chunkSize - chunk.count, file.size - offset)
        if count > 0 {
            let bytes = try source.read(count)
            guard !bytes.isEmpty else { throw source.failure("changed its size while it was sent") }
            chunk += bytes
            offset += bytes.count
        }
        if offset == file.size {
            // It may have grown or shrunk during this read.
            guard try source.size() == file.size else { throw source.failure("changed its size while it was sent") }
            advance()
        } else {
            open = consume source
        }
    }

    /// The current file, opened at its first read.
    private mutating func opened(_ file: MultipartFile) throws(Failure) -> LocalFile {
        if let source = open.take() { return source }
        return try LocalFile(file.path, field: file.field, phase: .maybeSent)
    }

    private mutating func advance() {
        index += 1
        offset = 0
    }
}

// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes
public import SidingChain
internal import SidingJSON
internal import SidingSynchronization

/// The target of a download: a path that the caller chose. A name sent by an origin never becomes a path.
public struct FileDestination: Sendable, Hashable {
    /// The file's path. Its directory must exist; an existing file is replaced once the new one is complete.
    public var path: String
    /// The mode of the finished file; 0600 by default. Until it is complete it is always 0600.
    public var permissions: UInt32

    /// A destination; nothing is checked or created before the download.
    ///
    /// - Parameters:
    ///   - path: the finished file, absolute or relative to the working directory of the process.
    ///   - permissions: its mode, as for chmod(2).
    public init(_ path: String, permissions: UInt32 = 0o600) {
        (self.path, self.permissions) = (path, permissions)
    }

    /// Removes the remains of an earlier, unfinished download to this path, and nothing else.
    ///
    /// - Throws: a `Failure` that names the path, also if such a download is under way.
    package func discardPart() async throws(Failure) {
        let file = PartialFile(try DownloadPaths(self))
        _ = try await file.take()
        try await file.discard()
    }
}

/// The paths of one download. The unfinished file is in the same directory as the finished one, since a rename is atomic only
/// within one file system.
struct DownloadPaths: Sendable {
    let file: String
    let directory: String
    /// The bytes received so far.
    let part: String
    /// The record that is needed to resume.
    let record: String
    /// The record while it is being written.
    let recordDraft: String

    /// - Throws: `Failure.Reason.invalidRequest` if the path cannot be that of a file.
    init(_ destination: FileDestination) throws(Failure) {
        let path = destination.path
        let (parent, name) = FileSystem.split(path)
        guard !["", ".", ".."].contains(name), !path.utf8.contains(0) else {
            throw Failure(
                .invalidRequest, phase: .notSent,
                detail: "'\(PlainText.oneLine(path, limit: 200))' is not a path of a file to download to")
        }
        file = path
        directory = FileSystem.parent(of: path)
        let hidden = "\(parent).\(Self.bounded(name)).\(SHA256.hexadecimal(name).prefix(16))"
        (part, record, recordDraft) = ("\(hidden).part", "\(hidden).resume", "\(hidden).resume-new")
    }

    /// A name may have 255 bytes, and these names are longer than the file's own; the digest keeps them distinct.
    private static func bounded(_ name: String) -> String {
        var bounded = name
        while bounded.utf8.count > 200 { bounded.removeLast() }
        return bounded
    }
}

/// A completely downloaded file.
public struct DownloadedFile: Sendable {
    /// The path that the caller chose.
    public var path: String
    /// The size in bytes.
    public var bytes: Int64
    /// The number of bytes that earlier calls had downloaded.
    public var resumedBytes: Int64
    /// The last response: 200, 206, or 416 if the existing part was already complete.
    public var response: HTTPResponse
    /// The URL of the last response, after redirects.
    public var url: HTTPURL
}

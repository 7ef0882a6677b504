public import HTTPTypes
internal import SidingJSON

/// Where a download goes: a path that the caller chose. A name that an origin sends never becomes a path.
public struct FileDestination: Sendable, Hashable {
    /// The file's path. Its directory must exist; a file that lies there is replaced once the new one is whole.
    public var path: String
    /// The mode of the finished file; 0600 unless said otherwise. Before it is whole it is 0600 in any case.
    public var permissions: UInt32

    public init(_ path: String, permissions: UInt32 = 0o600) {
        (self.path, self.permissions) = (path, permissions)
    }

    /// Removes what an earlier, unfinished download to this path left behind, and nothing else.
    ///
    /// - Throws: a ``Failure`` that names the path, also where such a download is under way.
    public func discardPart() async throws(Failure) {
        let file = PartialFile(try DownloadPaths(self))
        _ = try await file.take()
        try await file.discard()
    }
}

/// The paths of one download. The unfinished file lies beside the finished one, as only a rename within one file system
/// is a single step.
struct DownloadPaths: Sendable {
    let file: String
    let directory: String
    /// What has come so far.
    let part: String
    /// What it takes to go on with it.
    let record: String
    /// The record while it is being written.
    let recordDraft: String

    /// - Throws: ``Failure/Reason/invalidRequest`` where the path cannot be that of a file.
    init(_ destination: FileDestination) throws(Failure) {
        let path = destination.path
        // By bytes, as the system does: a slash that carries an accent is one character to a String.
        let nameStart = path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex
        let (parent, name) = (String(path.utf8[..<nameStart]) ?? "", String(path.utf8[nameStart...]) ?? "")
        guard !["", ".", ".."].contains(name), !path.utf8.contains(0) else {
            throw Failure(
                .invalidRequest, phase: .notSent,
                detail: "'\(PlainText.oneLine(path, limit: 200))' is no path of a file to download to")
        }
        file = path
        directory = parent.isEmpty ? "." : parent
        let hidden = "\(parent).\(Self.bounded(name)).\(SHA256.hexadecimal(name).prefix(16))"
        (part, record, recordDraft) = ("\(hidden).part", "\(hidden).resume", "\(hidden).resume-new")
    }

    /// A name may have 255 bytes, and these names are longer than the file's own: the digest tells them apart.
    private static func bounded(_ name: String) -> String {
        var bounded = name
        while bounded.utf8.count > 200 { bounded.removeLast() }
        return bounded
    }
}

/// A file that was downloaded whole.
public struct DownloadedFile: Sendable {
    /// Where it lies: the path that the caller chose.
    public var path: String
    /// Its size.
    public var bytes: Int64
    /// So many of its bytes had been brought by an earlier call.
    public var resumedBytes: Int64
    /// The last answer: 200, 206, or 416 where the part that lay there was the whole.
    public var response: HTTPResponse
    /// Where the last answer came from, after redirects.
    public var url: HTTPURL

    public init(path: String, bytes: Int64, resumedBytes: Int64 = 0, response: HTTPResponse, url: HTTPURL) {
        (self.path, self.bytes, self.resumedBytes) = (path, bytes, resumedBytes)
        (self.response, self.url) = (response, url)
    }
}

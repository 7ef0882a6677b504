public import HTTPTypes

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

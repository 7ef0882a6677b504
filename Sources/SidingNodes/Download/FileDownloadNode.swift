// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
public import SidingChain

/// Downloads the body of a response to a file, and resumes where an earlier call broke off.
///
/// ```swift
/// let chain = RequestCreatorNode().then(RequestSenderNode(transport)).then(ResponseProcessorNode())
///     .then(ResponseHTTPErrorProcessorNode()).then(ResponseDataPreprocessorNode())
/// let file = try await FileDownloadNode(chain, to: FileDestination("/data/map.pbf")).process(draft, context)
/// ```
/// The file appears under its name only when it is complete and on disk. Until then it has a hidden name in the same directory.
/// If the response has a usable validator (a strong `ETag`, or a `Last-Modified` that is old enough), a failure leaves the part
/// there with a record: the next call with the same URL requests only the rest (RFC 9110 §13.1.5, §14.2), and the origin sends
/// everything if the file has changed. `.retry(…)` around this node resumes within one call.
///
/// Only GET is resumed. The request asks for uncompressed bytes (`Accept-Encoding: identity`), since ranges of a compressed
/// body are not ranges of the file. A body that is compressed anyway is stored decompressed, and not resumed. The transport's
/// limits apply as well: see `TransportSettings.forDownloads(upTo:within:)`.
public struct FileDownloadNode<Wrapped: Node>: WrapperNode
where Wrapped.Input == RequestDraft, Wrapped.Output == ChainResponse<ReplyBody?> {
    public let wrapped: Wrapped
    private let destination: FileDestination
    private let limit: Int
    private let requiresDeclaredLength: Bool
    private let secretQueryNames: Set<String>

    /// - Parameters:
    ///   - wrapped: sends the request and returns the response.
    ///   - destination: the target file. Of two simultaneous calls with one target, the second fails.
    ///   - limit: the maximum size in bytes; if the size is declared, a larger file is refused before it is read.
    ///   - requiresDeclaredLength: whether to refuse a response with neither `Content-Length` nor chunks, because its end does
    ///     not show whether it is complete.
    ///   - secretQueryNames: query parameters that failures and the record must not show, in addition to the well-known ones.
    public init(
        _ wrapped: Wrapped, to destination: FileDestination, limit: Int = .max, requiresDeclaredLength: Bool = true,
        secretQueryNames: Set<String> = []
    ) {
        self.wrapped = wrapped
        self.destination = destination
        self.limit = limit
        self.requiresDeclaredLength = requiresDeclaredLength
        self.secretQueryNames = secretQueryNames
    }

    public func process(_ input: RequestDraft, _ context: ChainContext) async throws(Failure) -> DownloadedFile {
        let (method, url) = (input.route.method, input.route.url)
        let shownURL = Redaction.url(url, also: secretQueryNames)
        do throws(Failure) {
            let file = PartialFile(try DownloadPaths(destination))
            let found = try await file.take()
            let identity = FileIdentity(digest: SHA256.hexadecimal(url.description), shownURL: shownURL)
            let isResumable = method == .get && found?.digest == identity.digest
            let transfer = FileTransfer(
                file: file, destination: destination, limit: limit, requiresDeclaredLength: requiresDeclaredLength,
                identity: method == .get ? identity : nil)
            return try await download(input, url, transfer, from: isResumable ? found : nil, context)
        } catch {
            throw error.at(node: name, method: method.rawValue, url: shownURL)
        }
    }

    /// Sends requests until the file is complete: usually one; another one for the rest after a partial response, or from the
    /// first byte if the existing part cannot be used.
    private func download(
        _ input: RequestDraft, _ url: HTTPURL, _ transfer: FileTransfer, from found: ResumeRecord?,
        _ context: ChainContext
    ) async throws(Failure) -> DownloadedFile {
        var point = found
        while true {
            let reply: Reply
            do throws(Failure) {
                reply = try await ask(input, from: point, context)
            } catch {
                guard let asked = point, let answer = error.rangeNotSatisfiable else {
                    await transfer.file.keep()
                    throw error
                }
                if asked.isWhole(by: answer) {
                    let progress = TransferProgress(completed: asked.bytes, total: asked.bytes)
                    context.handle?.downloads.report(progress)
                    let response = HTTPResponse(status: .rangeNotSatisfiable, headerFields: answer.headerFields)
                    return try await transfer.finish(
                        asked, Reply(response: response, body: .bytes([]), url: url), resumed: asked.bytes)
                }
                point = nil
                continue
            }
            guard let next = try await transfer.store(reply, from: point) else {
                return try await transfer.finish(point, reply, resumed: found?.bytes ?? 0)
            }
            point = next
        }
    }

    private func ask(
        _ input: RequestDraft, from point: ResumeRecord?, _ context: ChainContext
    ) async throws(Failure) -> Reply {
        var request = input
        request.headerFields[.acceptEncoding] = "identity"
        request.headerFields[.range] = point.map { "bytes=\($0.bytes)-" }
        request.headerFields[.ifRange] = point?.validator
        let answer = try await wrapped.process(request, context)
        guard let body = answer.body else {
            throw Failure(
                .contract, phase: .answered,
                detail: "the origin answered \(answer.response.status.code), which brings nothing to store in the file")
        }
        // Regardless of the wrapped chain: an error page is never stored as the file.
        return try await ResponseHTTPErrorProcessorNode().process(answer.with(body: body), context)
    }
}

extension Failure {
    /// The response with status 416, if it is one.
    fileprivate var rangeNotSatisfiable: HTTPFailure? {
        guard case .http(let answer) = reason, answer.status == 416 else { return nil }
        return answer
    }
}

extension ResumeRecord {
    /// Whether a 416 means that all bytes are present: its total size equals the part's, and the tag, if any, is unchanged.
    fileprivate func isWhole(by answer: HTTPFailure) -> Bool {
        guard let total = ContentRange(answer.headerFields)?.total, total == bytes, total == self.total ?? total else {
            return false
        }
        guard let tag = answer.headerFields[.eTag], validator.hasPrefix("\"") else { return true }
        return tag == validator
    }
}

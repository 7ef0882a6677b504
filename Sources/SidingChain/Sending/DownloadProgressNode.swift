internal import HTTPTypes

/// Tells how much of an answer's body has come: at the start, at most once per hundredth, and at the end.
///
/// It stands behind ``ResponseHTTPErrorProcessorNode``, so that the body of an error does not count, and tells the
/// ``CallHandle`` of the call, and a closure where one is given. What a resumed download has on disk counts as completed.
/// Where no length is declared, or compression hides it, only bytes are told, at most every 64 KiB.
public struct DownloadProgressNode: Node {
    private let report: ProgressReport?

    /// - Parameter report: told besides the call's handle.
    public init(_ report: ProgressReport? = nil) {
        self.report = report
    }

    public func process(_ input: Reply, _ context: ChainContext) async throws(Failure) -> Reply {
        let reporter = reporter(input, context)
        reporter.advance(by: 0)
        let body = input.body
        var reply = input
        reply.body = ReplyBody(length: body.length) { () async throws(Failure) -> [UInt8]? in
            guard let chunk = try await body.next() else {
                reporter.finish()
                return nil
            }
            reporter.advance(by: chunk.count)
            return chunk
        }
        return reply
    }

    private func reporter(_ reply: Reply, _ context: ChainContext) -> ProgressReporter {
        let length = reply.body.length.map(Int64.init)
        let range = reply.response.status == .partialContent ? ContentRange(reply.response.headerFields) : nil
        let start = range?.first ?? 0
        let total = range.map { $0.total } ?? length
        return ProgressReporter(completed: start, total: total) { [report] progress in
            context.handle?.downloadProgress.report(progress)
            report?(progress, context)
        }
    }
}

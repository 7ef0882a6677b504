// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
public import SidingChain

/// Reports the progress of a response body: at the start, at most once per percent, and at the end.
///
/// Place it after `ResponseHTTPErrorProcessorNode`, so that error bodies do not count. It reports to the call's
/// `CallHandle`, and to a closure if one is given. The part of a resumed download that is on disk counts as completed. If the
/// length is not declared, or hidden by compression, it reports only bytes, at most every 64 KiB.
public struct DownloadProgressNode: Node {
    private let report: (@Sendable (TransferProgress, ChainContext) -> Void)?

    /// - Parameter report: called in addition to the call's handle, by the task that reads the bytes, one call at a time.
    public init(_ report: (@Sendable (TransferProgress, ChainContext) -> Void)? = nil) {
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
            context.handle?.downloads.report(progress)
            report?(progress, context)
        }
    }
}

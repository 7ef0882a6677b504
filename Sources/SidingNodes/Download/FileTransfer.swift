// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain

/// Identifies the whole file that a part belongs to.
struct FileIdentity: Sendable {
    let digest: String
    let shownURL: String
}

/// Stores the responses of one download in its file.
struct FileTransfer: Sendable {
    /// The bytes per write: enough to make the cost of queueing negligible, and little to hold in memory.
    private static let writeSize = 262_144

    let file: PartialFile
    let destination: FileDestination
    let limit: Int
    let requiresDeclaredLength: Bool
    /// Nil if the download cannot be resumed.
    let identity: FileIdentity?

    /// Where the bytes of one response belong.
    private struct Plan {
        /// The size of the file before and, if declared, after this response.
        let start: Int64
        let end: Int64?
        /// The size of the complete file, if known.
        let total: Int64?
        /// The record to resume from; nil if the download cannot be resumed.
        var record: ResumeRecord?
    }

    /// Reads a response into the file. Returns the point to continue from if it was a partial response that ends early, or nil
    /// if the file is complete.
    ///
    /// - Throws: a `Failure` in phase `answered`; the part that can be resumed is on disk then.
    func store(_ reply: Reply, from point: ResumeRecord?) async throws(Failure) -> ResumeRecord? {
        guard Self.bringsFile(reply.response.status) else {
            // This status is not about the file: the next attempt may succeed.
            await file.keep()
            throw Failure(
                .contract, phase: .answered,
                detail: "the origin answered \(reply.response.status.code), which does not say that the file is here")
        }
        let plan: Plan
        do throws(Failure) {
            plan = try self.plan(reply, from: point)
            try check(plan, reply)
        } catch {
            try? await file.discard()
            throw error
        }
        do throws(Failure) {
            if let point, plan.start > 0 { try await file.resume(point) } else { try await file.begin(plan.record) }
            try await read(reply.body, plan)
            return try await rest(plan)
        } catch {
            if case .tooLarge = error.reason { try? await file.discard() } else { await file.keep() }
            throw error.whileReading
        }
    }

    /// Renames the complete file to its final name.
    func finish(_ point: ResumeRecord?, _ reply: Reply, resumed: Int64) async throws(Failure) -> DownloadedFile {
        do throws(Failure) {
            if reply.response.status == .rangeNotSatisfiable, let point { try await file.resume(point) }
            try await file.finish(permissions: destination.permissions)
        } catch {
            await file.keep()
            throw error.whileReading
        }
        return DownloadedFile(
            path: destination.path, bytes: await file.size,
            resumedBytes: reply.response.status == .ok ? 0 : resumed, response: reply.response, url: reply.url)
    }

    // MARK: Checking the head

    private static func bringsFile(_ status: HTTPResponse.Status) -> Bool {
        [200, 201, 203, 206].contains(status.code)
    }

    private func plan(_ reply: Reply, from point: ResumeRecord?) throws(Failure) -> Plan {
        if reply.response.status == .partialContent { return try partial(reply, from: point) }
        let length = reply.body.length.map(Int64.init)
        return Plan(start: 0, end: length, total: length, record: record(reply, total: length))
    }

    private func partial(_ reply: Reply, from point: ResumeRecord?) throws(Failure) -> Plan {
        let fields = reply.response.headerFields
        let received = fields[.contentRange].map { "'\($0)'" } ?? "no Content-Range"
        guard let point else { throw mismatch("a part came, \(received), where the whole was asked for") }
        let asked = "bytes from \(point.bytes)" + (point.total.map { " of \($0)" } ?? "") + " were asked for"
        guard let range = ContentRange(fields), let bounds = range.bounds else {
            throw mismatch("\(asked), got \(received)")
        }
        let total = range.total ?? point.total
        guard bounds.lowerBound == point.bytes, point.total ?? total == total, bounds.upperBound < total ?? .max else {
            throw mismatch("\(asked), got \(received)")
        }
        guard fields.isIdentityCoded, reply.body.length ?? bounds.count == bounds.count else {
            throw mismatch("\(asked), got \(received) with another number of bytes")
        }
        if let tag = fields[.eTag], point.validator.hasPrefix("\""), tag != point.validator {
            throw mismatch("\(asked), got a part of another file")
        }
        if let date = fields[.lastModified], !point.validator.hasPrefix("\""), date != point.validator {
            throw mismatch("\(asked), got a part of a file that has changed")
        }
        var record = point
        record.total = total
        return Plan(start: point.bytes, end: bounds.upperBound + 1, total: total, record: record)
    }

    private func record(_ reply: Reply, total: Int64?) -> ResumeRecord? {
        let fields = reply.response.headerFields
        guard let identity, fields.isIdentityCoded, fields[.acceptRanges]?.lowercased() != "none",
            let validator = StrongValidator.value(in: fields)
        else { return nil }
        return ResumeRecord(url: identity.shownURL, digest: identity.digest, validator: validator, total: total)
    }

    private func mismatch(_ detail: String) -> Failure {
        Failure(.protocolViolation, phase: .answered, detail: "\(detail); the next try starts anew")
    }

    private func check(_ plan: Plan, _ reply: Reply) throws(Failure) {
        if let size = plan.total ?? plan.end, size > Int64(limit) {
            throw Failure(.tooLarge(limit: limit), phase: .answered)
        }
        guard requiresDeclaredLength, plan.end == nil, !reply.response.headerFields.declaresItsEnd else { return }
        throw Failure(
            .contract, phase: .answered,
            detail: "the origin declares neither a length nor chunks, so no one can tell whether the file is whole")
    }

    // MARK: Reading the body

    private func read(_ body: ReplyBody, _ plan: Plan) async throws(Failure) {
        var size = plan.start
        var unwritten: [UInt8] = []
        var ending: Failure?
        while ending == nil {
            do throws(Failure) {
                guard let chunk = try await body.next() else { break }
                size += Int64(chunk.count)
                guard size <= Int64(limit) else { throw Failure(.tooLarge(limit: limit), phase: .answered) }
                if unwritten.isEmpty { unwritten = chunk } else { unwritten += chunk }
            } catch { ending = error }
            guard unwritten.count >= Self.writeSize else { continue }
            try await file.append(unwritten)
            unwritten = []
        }
        // The bytes that came before the body broke off are kept as well.
        try await file.append(unwritten)
        if let ending { throw ending }
        guard let end = plan.end, size != end else { return }
        throw Failure(
            size < end ? .truncated : .protocolViolation, phase: .answered,
            detail: "\(size - plan.start) bytes came where \(end - plan.start) were declared")
    }

    /// The point to continue from after a complete response.
    private func rest(_ plan: Plan) async throws(Failure) -> ResumeRecord? {
        guard plan.start > 0, var point = plan.record, plan.end != plan.total else { return nil }
        point.bytes = await file.size
        return point
    }
}

extension HTTPFields {
    fileprivate var isIdentityCoded: Bool { (self[.contentEncoding] ?? "identity").lowercased() == "identity" }

    /// Whether an early end can be noticed (RFC 9112 §8): by length or by chunks.
    fileprivate var declaresItsEnd: Bool {
        self[.contentLength] != nil || self[.transferEncoding]?.lowercased().contains("chunked") == true
    }
}

extension Failure {
    /// The same failure, of a body or of the disk, in phase `answered`.
    fileprivate var whileReading: Failure {
        // The route matters only if no connection was made.
        var failure = TechnicalErrors.classify(self, hasUsableRoute: { true })
        failure.phase = .answered
        if failure.reason == .connectionLost { failure.reason = .truncated }
        return failure
    }
}

// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
public import HTTPTypes
public import SidingChain
internal import SidingSynchronization

/// Writes of the user, from inside a program.
extension Siding {
    /// Stores a write, and sends it at once if the network allows. When this returns the write is durable, delivered or not.
    ///
    /// It waits for the answer, up to the timeouts of the source. Cancelling it does not take the write back.
    /// - Parameters:
    ///   - write: the request.
    ///   - sendsNow: false to return as soon as the write is stored, such as where a person waits: ``run()`` of this ``Siding`` sends
    ///     it at once, that of another process within ten seconds.
    /// - Returns: the entry: `done`, `queued` for later, `parked` until an operator acts, or `sending` if ``run()`` has it.
    /// - Throws: ``StoreError``; ``StoreError/Kind/invalidWrite`` if the queue may not keep the write: its source is unknown, its
    ///   URL is at another origin than the source, or it carries a credential.
    @discardableResult
    public func send(_ write: WriteRequest, sendsNow: Bool = true) async throws(StoreError) -> QueueEntry {
        guard let source = sender.sources[write.source] else {
            throw StoreError(
                .invalidWrite, "no source is named '\(write.source)': the write was not stored",
                hint: "give the source to Siding(store:resources:sources:transports:)")
        }
        try source.check(write)
        return try await activity.perform { () throws(StoreError) in
            let entry = try await sender.store.enqueue(write)
            activity.publish(entry)
            guard sendsNow, source.isReachable(by: sender.environment.connectivity) else {
                activity.dueWrites.fire()
                return entry
            }
            // The service may have claimed it before.
            guard let tried = try await sender.send(entry.id) else { return try await queueEntry(entry.id) }
            activity.publish(tried)
            if tried.state == .queued { activity.dueWrites.fire() }
            return tried
        }
    }

    /// Sends the due writes of all sources once, as ``run()`` does repeatedly.
    ///
    /// - Returns: the entries that were tried, as they are then; none if nothing is due.
    /// - Throws: ``StoreError`` if the store fails. A request that fails is no error: its entry says why.
    @discardableResult
    public func drain() async throws(StoreError) -> [QueueEntry] {
        try await activity.perform { () throws(StoreError) in
            try await sender.drain { activity.publish($0) }
        }
    }

    /// The records that this program has created and that the origin has not: each has a temporary id as its key, or the key that
    /// the program chose, and the draft as its body. They wait until their write is delivered or dropped.
    ///
    /// A typed read leaves them out if they do not decode as the model, such as one whose `id` is an `Int`.
    /// ``QueueEntry/recordKey`` says which entry creates which record.
    public func pendingCreations(of resource: some SyncedResource) async throws(StoreError) -> [Record] {
        try await store.pendingCreations(of: resource.name)
    }
}

extension Source {
    /// Refuses a write to another origin, which would get this source's credential, and one that sets the field or parameter of
    /// that credential: the queue stores no credentials.
    ///
    /// - Throws: ``StoreError/Kind/invalidWrite``.
    package func check(_ write: WriteRequest) throws(StoreError) { try WriteSafety.check(write, to: self) }
}

extension WriteRequest {
    /// Builds a write with a JSON body: `try .json(.post, "/issues", draft, to: tracker)`.
    ///
    /// - Parameters:
    ///   - method: usually POST, PUT, PATCH or DELETE.
    ///   - path: below the source's base URL.
    ///   - value: encoded as `URLChainBuilder.encoder` does, dates as RFC 3339.
    ///   - source: the origin.
    ///   - lane: writes of one lane are sent in order; nil for a lane of its own.
    ///   - after: entries that must be delivered first.
    /// - Throws: `Failure.Reason.invalidRequest` if the path or the value cannot be encoded.
    public static func json(
        _ method: HTTPRequest.Method, _ path: String, _ value: some Encodable, to source: Source, lane: String? = nil,
        after: [String] = []
    ) throws(Failure) -> WriteRequest {
        let body: [UInt8]
        do { body = Array(try JSONCoding.encoder().encode(value)) } catch {
            throw Failure(
                .invalidRequest, phase: .notSent, detail: "the value cannot be written as JSON", underlying: error)
        }
        var write = WriteRequest(
            to: source.name, method, try source.baseURL.appending(path: path),
            headerFields: [.contentType: "application/json"], body: body, idempotency: source.idempotency)
        (write.lane, write.after, write.expiry) = (lane, after, source.expiry)
        return write
    }
}

// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
public import Siding
internal import SidingChain
internal import SidingJSON

// Writes to the origin. Method, path, body and idempotency are those of `writes:` in the config, for a resource of `Config.resources`;
// for others those of a collection: a POST to its path, and PATCH and DELETE of `path/KEY`.

extension Siding {
    /// Creates a record at the origin. The write is stored, and sent at once if the network allows; offline it waits.
    ///
    /// ```swift
    /// let entry = try await siding.create(Draft(title: "Gate 4 does not close"), in: issues)
    /// ```
    /// The record shows at once, under a temporary id until the origin gives the real one. Where the model cannot hold that id,
    /// or needs members that the draft lacks, it is one of the `Siding.pendingCreations(of:)` until then.
    /// - Parameters:
    ///   - draft: the record as it is sent; encoded as models of the resource are, or as usual for one without a model.
    ///   - resource: the resource that the record joins.
    ///   - conflict: what to do if the origin answers with a conflict; nil for the declared policy, or to hold the write.
    ///   - after: the ids of entries that must be delivered first. Those that create a record which the draft names are.
    ///   - sendsNow: false to return as soon as the write is stored; `Siding.run()` sends it at once.
    /// - Returns: the entry: `done`, `queued` for later, or `parked` until an operator acts. `QueueEntry.recordKey` is the key
    ///   for later writes to the record, also while it is temporary.
    /// - Throws: `StoreError.Kind.invalidWrite` if the write cannot be made, or the queue may not keep it.
    @discardableResult
    public func create(
        _ draft: some Encodable & Sendable, in resource: some SyncedResource, conflict: ConflictPolicy? = nil,
        after: [String] = [], sendsNow: Bool = true
    ) async throws(StoreError) -> QueueEntry {
        try await send(resource.write(.create, record: draft, conflict, after), sendsNow: sendsNow)
    }

    /// Changes a record at the origin. The change shows at once, as a pending edit.
    ///
    /// ```swift
    /// try await siding.update(key: "7", with: ["state": "closed"], in: issues, conflict: .merge)
    /// ```
    /// - Parameters:
    ///   - key: the key of the record, or the temporary one of a record that is yet to be created.
    ///   - change: the members to change, as they are sent by PATCH; for writes declared with PUT, the whole record.
    ///   - resource: the resource of the record.
    ///   - conflict: what to do if the origin changed the record meanwhile; nil for the declared policy, or to hold the write.
    ///   - after: the ids of entries that must be delivered first.
    ///   - sendsNow: false to return as soon as the write is stored; `Siding.run()` sends it at once.
    @discardableResult
    public func update(
        key: String, with change: some Encodable & Sendable, in resource: some SyncedResource,
        conflict: ConflictPolicy? = nil, after: [String] = [], sendsNow: Bool = true
    ) async throws(StoreError) -> QueueEntry {
        try await send(resource.write(.update, key: key, record: change, conflict, after), sendsNow: sendsNow)
    }

    /// Changes the record under a numeric key, like ``update(key:with:in:conflict:after:sendsNow:)``.
    @discardableResult
    public func update(
        key: some BinaryInteger & Sendable, with change: some Encodable & Sendable, in resource: some SyncedResource,
        conflict: ConflictPolicy? = nil, after: [String] = [], sendsNow: Bool = true
    ) async throws(StoreError) -> QueueEntry {
        try await update(
            key: String(key), with: change, in: resource, conflict: conflict, after: after, sendsNow: sendsNow)
    }

    /// Deletes a record at the origin. It is hidden at once. ``deleteLocally(key:from:)`` sends nothing.
    ///
    /// - Parameters:
    ///   - key: the key of the record, or the temporary one of a record that is yet to be created.
    ///   - resource: the resource of the record.
    ///   - conflict: what to do if the origin changed the record meanwhile; nil for the declared policy, or to hold the write.
    ///   - after: the ids of entries that must be delivered first.
    ///   - sendsNow: false to return as soon as the write is stored; `Siding.run()` sends it at once.
    @discardableResult
    public func delete(
        key: String, in resource: some SyncedResource, conflict: ConflictPolicy? = nil, after: [String] = [],
        sendsNow: Bool = true
    ) async throws(StoreError) -> QueueEntry {
        try await send(resource.write(.delete, key: key, conflict, after), sendsNow: sendsNow)
    }

    /// Deletes the record under a numeric key, like ``delete(key:in:conflict:after:sendsNow:)``.
    @discardableResult
    public func delete(
        key: some BinaryInteger & Sendable, in resource: some SyncedResource, conflict: ConflictPolicy? = nil,
        after: [String] = [], sendsNow: Bool = true
    ) async throws(StoreError) -> QueueEntry {
        try await delete(key: String(key), in: resource, conflict: conflict, after: after, sendsNow: sendsNow)
    }
}

extension SyncedResource {
    /// The request of an own write.
    ///
    /// - Throws: `StoreError.Kind.invalidWrite` if nothing says how records are written, or the record cannot be encoded.
    fileprivate func write(
        _ verb: WriteDeclaration.Verb, key: String? = nil, record: (any Encodable & Sendable)? = nil,
        _ conflict: ConflictPolicy?, _ after: [String]
    ) throws(StoreError) -> WriteRequest {
        let json = try record.map { record throws(StoreError) in try self.json(of: record) }
        do throws(Failure) {
            let declaration = try untyped.writeDeclaration()
            let id = key ?? (declaration.namesRecord(in: verb) ? json.flatMap(self.key) : nil)
            var write =
                if let json {
                    try declaration.request(verb, id: id, record: json)
                } else {
                    try declaration.request(verb, id: id)
                }
            if let conflict { write.edit?.conflict = conflict }
            write.after = after
            return write
        } catch { throw StoreError(.invalidWrite, error.detail ?? error.description) }
    }

    private func json(of record: any Encodable & Sendable) throws(StoreError) -> [UInt8] {
        let coding = (self as? any CodedResource)?.coding ?? .standard
        do { return Array(try coding.encoder().encode(record)) } catch {
            throw StoreError(
                .invalidWrite,
                "the record for '\(name)' cannot be written as JSON: \(PlainText.oneLine("\(error)", limit: 200))")
        }
    }

    /// The key of an encoded record, which the program chose; nil if it has none.
    private func key(of json: [UInt8]) -> String? {
        let page = [UInt8(ascii: "[")] + json + [UInt8(ascii: "]")]
        return page.withUnsafeBytes { page in
            let contents = try? PageReader(records: .root, key: untyped.key).read(page)
            guard case .key(let key)? = contents?.records.first?.outcome else { return nil }
            return key.text(in: page)
        }
    }
}

/// A resource that says how its records are encoded.
private protocol CodedResource {
    var coding: RecordCoding { get }
}

extension Resource: CodedResource {}

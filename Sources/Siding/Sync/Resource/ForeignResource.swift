// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

/// Refuses to sync a resource if the store has other records under its name.
///
/// They belong to another service if both the source's name and its origin changed, for example because two configs share one
/// database file; the new records would overwrite those with the same keys. (If only one of the two changed, the source was
/// renamed, or it moved.) Or the resource's key changed, and each record would show twice, once under each key.
enum ForeignResource {
    /// - Parameters:
    ///   - known: what is stored of the resource; nil if nothing is.
    ///   - store: the store that would save the records.
    ///   - file: the store whose path the message names.
    /// - Returns: nil if the store knows the resource, or holds no records for it.
    static func error(
        for resource: AnyResource, _ options: SyncOptions, known: ResourceFreshness?, in store: Store, file: Store
    ) async throws(StoreError) -> RecordedError? {
        guard let known else { return nil }
        // The user accepts that the records of the other origin are deleted.
        let isAccepted = options.isFull && options.acceptsDeletes && !options.isAdHoc
        if !isAccepted, let foreign = try await ofOtherOrigin(resource, known, in: store, file: file) { return foreign }
        guard ResourceDefinition(resource).differences(from: known.definition).contains(.key) else { return nil }
        return try await underOtherKey(resource, in: store)
    }

    private static func ofOtherOrigin(
        _ resource: AnyResource, _ known: ResourceFreshness, in store: Store, file: Store
    ) async throws(StoreError) -> RecordedError? {
        guard let source = known.source, source != resource.source.name,
            let origin = known.definition.origin, origin != resource.source.baseURL.origin
        else { return nil }
        let count = try await store.count(of: resource.name).count
        guard count > 0 else { return nil }
        let (name, own) = (resource.name, resource.source)
        let message =
            "'\(name)' in \(file.path) belongs to the source '\(source)' (\(origin)), with \(MessageFormat.count(count, "record")); here it belongs to "
            + "'\(own.name)' (\(own.baseURL.origin)). No request was sent"
        let hint =
            "if two configs share the file, set database.path in one of them, or rename the resource; if '\(own.name)' "
            + "replaces '\(source)': 'siding sync \(name) --full --accept-deletes'"
        return RecordedError(name: "foreign_resource", message: message, hint: hint)
    }

    private static func underOtherKey(
        _ resource: AnyResource, in store: Store
    ) async throws(StoreError) -> RecordedError? {
        let count = try await store.count(of: resource.name)
        guard count.count + count.deleted > 0 else { return nil }
        let name = resource.name
        let stored = MessageFormat.count(count.count + count.deleted, "record is", plural: "records are")
        return RecordedError(
            name: "key_changed",
            message:
                "the key of '\(name)' changed, and \(stored) stored under the old one. "
                + "No request was sent",
            hint:
                "'siding records forget \(name)' removes them, and the next sync lists everything under the new key")
    }
}

extension ResourceDefinition {
    /// Scheme, host and port of the source; nil if unknown.
    fileprivate var origin: String? { aspects[.baseURL].flatMap { try? HTTPURL($0) }?.origin }
}

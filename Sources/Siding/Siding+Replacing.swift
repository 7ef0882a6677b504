// SPDX-License-Identifier: Apache-2.0
extension Siding {
    /// Switches to other resources and sources, as after a change of the config; the copies of this value switch too.
    ///
    /// ``run()`` looks for work at once. A sync or a delivery that is under way ends with the old ones. A resource that is no
    /// longer declared is not synced any more, and its records stay. A resource that failed, and a source that waits for a
    /// sign-in, are tried again.
    ///
    /// - Throws: ``StoreError/Kind/invalidName`` if two resources, or two different sources, have the same name, and
    ///   ``StoreError/Kind/closed`` after ``close()``; nothing is replaced then.
    public func replace(resources: [any SyncedResource], sources: [Source] = []) throws(StoreError) {
        guard !activity.isClosed else { throw .closed }
        try Declarations.checkNames(of: resources, sources)
        declarations.replace(with: builder.declarations(resources, sources))
    }
}

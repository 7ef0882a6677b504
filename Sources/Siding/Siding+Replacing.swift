extension Siding {
    /// Goes on with other resources and sources, as after a change of the config. Other copies of this value do so, too.
    ///
    /// ``run()`` looks for work at once. What is under way (the sync of a resource, the requests of writes) ends with the old ones.
    /// What is not declared any more is not synced, and its records stay. A resource that failed, and a source that waits for
    /// a sign-in, are tried once.
    ///
    /// - Throws: ``StoreError/Kind/invalidName`` if two resources, or two different sources, have the same name, and
    ///   ``StoreError/Kind/closed`` after ``close()``; nothing is replaced then.
    public func replace(resources: [any SyncedResource], sources: [Source] = []) throws(StoreError) {
        guard !activity.isClosed else { throw .closed }
        try Declarations.checkNames(of: resources, sources)
        declarations.replace(with: builder.declarations(resources, sources))
    }
}

extension Siding {
    /// What happens from now on: runs, saved pages, entries of the queue, changes of records. Each access makes a reader of its
    /// own; there may be any number, and none holds up a sync.
    ///
    /// ```swift
    /// for await event in siding.events {
    ///     if case .recordsChanged(let resource) = event { print("\(resource) changed") }
    /// }
    /// ```
    /// Runs, pages and entries are those of this ``Siding`` and its copies; changes of records are those of all processes.
    public var events: Events {
        Events(store: store, buffer: activity.events.makeBuffer(), clock: activity.clock)
    }
}

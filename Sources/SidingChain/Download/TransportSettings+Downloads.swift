extension TransportSettings {
    /// The same bounds, but for bodies that go to files: they may be large and take long.
    ///
    /// A transport's own limits hold for every body, and those for data in memory (64 MiB, two minutes) are too tight for
    /// files. What stalls still ends by ``idleTimeout`` and ``minimumRate``.
    ///
    /// - Parameters:
    ///   - limit: the most bytes of a file; as many as there is room for, unless said otherwise.
    ///   - totalTimeout: the budget of one download; a day unless said otherwise.
    public func forDownloads(upTo limit: Int = .max, within totalTimeout: Duration = .seconds(86_400)) -> Self {
        var settings = self
        (settings.maxBody, settings.totalTimeout) = (limit, totalTimeout)
        return settings
    }
}

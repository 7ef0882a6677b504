/// The result of rehearsing the sync of one resource.
public struct RehearsedSync: Sendable {
    public var report: SyncReport
    /// All requests for its pages, in order, retries included. Requests for tokens are left out.
    public var requests: [RehearsedRequest]
    /// In the order of the keys.
    public var changes: [RehearsedChange]

    public init(report: SyncReport, requests: [RehearsedRequest], changes: [RehearsedChange]) {
        (self.report, self.requests, self.changes) = (report, requests, changes)
    }

    /// The number of records that would change in this way.
    public func count(_ kind: RehearsedChange.Kind) -> Int { changes.count { $0.kind == kind } }
}

/// One request of a rehearsal.
public struct RehearsedRequest: Sendable, Hashable {
    public var method: String
    /// With credentials left out.
    public var url: String
    /// Nil if there was no answer.
    public var status: Int?

    public init(method: String, url: String, status: Int?) {
        (self.method, self.url, self.status) = (method, url, status)
    }
}

/// One record that would change.
public struct RehearsedChange: Sendable, Hashable {
    /// How the record would change.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case inserted
        case updated
        case deleted
    }

    public var key: String
    public var kind: Kind

    public init(key: String, kind: Kind) {
        (self.key, self.kind) = (key, kind)
    }
}

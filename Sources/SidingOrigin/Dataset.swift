// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import SidingSynchronization

/// The records that an origin serves; they may be changed meanwhile.
public final class Dataset: Sendable {
    /// A record: its key, its JSON text, and its stamp for incremental listings.
    public struct Record: Sendable, Hashable {
        /// Unique in the dataset; the last part of the record's path.
        public var key: String
        /// The record as it is served, one JSON object.
        public var json: String
        /// Compared as text with a listing's `since` parameter; RFC 3339 times sort correctly.
        public var stamp: String

        /// The parameters are the properties of the same names.
        public init(key: String, json: String, stamp: String = "") {
            self.key = key
            self.json = json
            self.stamp = stamp
        }
    }

    /// A record with its insertion number, which never changes and is never reused.
    struct Row: Sendable {
        let serial: Int
        var record: Record
    }

    private struct State {
        var rows: [Row] = []
        var indexes: [String: Int] = [:]
        var serials = 0
        var changedAt: Double
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> Double

    /// - Parameters:
    ///   - records: served in this order; keys are unique.
    ///   - now: seconds since 1970, for `Last-Modified`; nil, the default, for the system's clock.
    public init(_ records: [Record] = [], now: (@Sendable () -> Double)? = nil) {
        let now = now ?? { Date().timeIntervalSince1970 }
        self.now = now
        self.state = Mutex(State(changedAt: now()))
        for record in records { put(record) }
    }

    /// The records in the order in which they are served.
    public var records: [Record] { state.withLock { $0.rows.map(\.record) } }
    /// The number of records now.
    public var count: Int { state.withLock { $0.rows.count } }

    /// The record with `key`.
    public subscript(key: String) -> Record? {
        state.withLock { state in state.indexes[key].map { state.rows[$0].record } }
    }

    /// Appends a record, or replaces the one with the same key in its place.
    public func put(_ record: Record) {
        let time = now()
        state.withLock { state in
            state.changedAt = time
            if let index = state.indexes[record.key] {
                state.rows[index].record = record
            } else {
                state.serials += 1
                state.indexes[record.key] = state.rows.count
                state.rows.append(Row(serial: state.serials, record: record))
            }
        }
    }

    /// Removes the record with `key`; returns whether there was one.
    @discardableResult
    public func remove(_ key: String) -> Bool {
        let time = now()
        return state.withLock { state in
            guard let index = state.indexes.removeValue(forKey: key) else { return false }
            state.changedAt = time
            state.rows.remove(at: index)
            for later in index..<state.rows.count { state.indexes[state.rows[later].record.key] = later }
            return true
        }
    }

    /// All rows at one moment, and the time of the last change.
    var snapshot: (rows: [Row], changedAt: Double) {
        state.withLock { ($0.rows, $0.changedAt) }
    }
}

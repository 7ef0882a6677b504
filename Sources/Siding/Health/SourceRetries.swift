// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSynchronization

/// Admits the inline retries of one chain to a source, by what all requests to the source have met.
///
/// One failure of a source that works is retried within the call. Where others have failed before it, without an answer since,
/// the request waits in the queue instead.
final class SourceRetries: RetryAdmission {
    private let store: Store
    private let source: String
    /// Whether a request of this chain was answered since its last failure. Not each answer is worth a commit.
    private let hasAnswered = Mutex(false)

    init(to source: Source, in store: Store) {
        (self.source, self.store) = (source.name, store)
    }

    func recordAnswer() { hasAnswered.withLock { $0 = true } }

    func admitsRetry(upTo limit: Int) async -> Bool {
        let hasAnswered = hasAnswered.exchange(false)
        // A store that fails does so at the next commit, too: its error is reported there.
        return (try? await store.admitRetry(of: source, limit: limit, hasAnswered: hasAnswered)) ?? false
    }
}

extension Store {
    /// See ``SourceHealth/admitRetry(limit:hasAnswered:)``.
    func admitRetry(of source: String, limit: Int, hasAnswered: Bool) async throws(StoreError) -> Bool {
        let now = clock.now
        return try await write { transaction in
            var health = try SourcesTable.load(source, transaction)
            let isAdmitted = health.admitRetry(limit: limit, hasAnswered: hasAnswered)
            if isAdmitted { try SourcesTable.save(health, now, transaction) }
            return isAdmitted
        }
    }
}

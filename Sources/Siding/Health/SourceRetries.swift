// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

/// Admits the inline retries of one chain to a source, by what all requests of this process to the source have met.
///
/// One failure of a source that works is retried within the call. Where others were retried before it, without an answer since,
/// the request waits in the queue instead.
struct SourceRetries: RetryAdmission {
    private let rows: RetryRows
    private let source: String

    init(to source: Source, in store: Store) {
        (self.source, rows) = (source.name, store.retryRows)
    }

    func recordAnswer() { rows.end(of: source) }

    func admitsRetry(upTo limit: Int) -> Bool { rows.admits(source, upTo: limit) }
}

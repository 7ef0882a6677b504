// SPDX-License-Identifier: Apache-2.0
/// Decides for all calls to an origin together whether a failed request may be sent again at once: each of them alone would
/// retry, although the requests of the others fail as well.
package protocol RetryAdmission: Sendable {
    /// Whether a request that failed may be sent again now. Then it is counted.
    ///
    /// - Parameter limit: the most such retries in a row, without an answer between them.
    func admitsRetry(upTo limit: Int) -> Bool

    /// Records that a request was answered.
    func recordAnswer()
}

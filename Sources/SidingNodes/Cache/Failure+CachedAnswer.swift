// SPDX-License-Identifier: Apache-2.0
package import SidingChain

extension Failure {
    /// Whether a stored response may replace the origin's: true if the origin could not be reached, false if it answered (or
    /// the request was not allowed), so that the caller must see the failure.
    package var allowsCachedAnswer: Bool {
        switch reason {
        case .badContent, .internalFault, .storage: false
        case .http(let answer): isRetryable || answer.statusClass == .notImplemented
        default: isRetryable
        }
    }
}

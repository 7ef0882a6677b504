// SPDX-License-Identifier: Apache-2.0
/// Which records of an incremental resource are kept: the others are deleted here, though they exist at the origin.
///
/// Only for resources whose listings do not show old records again, as each of them would come back.
package enum RecordRetention: Sendable, Hashable {
    /// Records that changed within this time.
    case age(Duration)
    /// As many records, those that changed last.
    case count(Int)
}

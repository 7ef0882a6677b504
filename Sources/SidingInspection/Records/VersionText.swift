// SPDX-License-Identifier: Apache-2.0
package import Siding

/// A version of a record in words.
package struct VersionText {
    private let version: RecordVersion

    package init(_ version: RecordVersion) {
        self.version = version
    }

    /// `updated`, `updated, 1 pending`
    package var change: String {
        version.pending == 0 ? version.change.rawValue : "\(version.change.rawValue), \(version.pending) pending"
    }

    /// Why no difference is shown; empty if some are, or if there is nothing to say.
    package var remark: String {
        guard version.differences?.isEmpty ?? true else { return "" }
        return switch (version.change, version.differences) {
        case (.updated, nil): "(what it was before is not kept)"
        case (.updated, _): "(the same values)"
        case (.inserted, _), (.deleted, _), (.revived, _): ""
        }
    }
}

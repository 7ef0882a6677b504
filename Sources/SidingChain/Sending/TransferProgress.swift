// SPDX-License-Identifier: Apache-2.0
/// The progress of a download or an upload.
public struct TransferProgress: Sendable, Hashable {
    /// The bytes so far, including those of earlier attempts.
    public var completed: Int64
    /// The total number of bytes, if declared.
    public var total: Int64?

    /// The state after `completed` of `total` bytes; `total` is nil if the length is unknown.
    public init(completed: Int64, total: Int64?) {
        (self.completed, self.total) = (completed, total)
    }

    /// From 0 to 1, or nil if the length is unknown. An empty transfer is 1.
    public var fraction: Double? {
        guard let total else { return nil }
        return total > 0 ? min(max(Double(completed) / Double(total), 0), 1) : 1
    }
}

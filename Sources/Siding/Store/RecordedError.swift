// SPDX-License-Identifier: Apache-2.0
/// Why a resource failed or was queued, in a form that is stored and shown.
public struct RecordedError: Sendable, Hashable, Codable, CustomStringConvertible {
    /// A stable name, as in `Failure.Reason.name`.
    public var name: String
    /// One line for users.
    public var message: String
    /// What to do about it.
    public var hint: String?
    /// The HTTP status, if the origin answered.
    public var status: Int?
    /// `not_sent`, `maybe_sent` or `answered`.
    public var phase: String?

    package init(name: String, message: String, hint: String? = nil, status: Int? = nil, phase: String? = nil) {
        (self.name, self.message, self.hint, self.status, self.phase) = (name, message, hint, status, phase)
    }

    /// ``message``.
    public var description: String { message }

    init(_ error: StoreError) {
        guard error.kind == .full else {
            self.init(name: error.kind.rawValue, message: error.message, hint: error.hint)
            return
        }
        self.init(
            name: error.kind.rawValue, message: "the disk was full",
            hint: "free space, and sync again: everything that was saved before is safe")
    }
}

// SPDX-License-Identifier: Apache-2.0
/// Why a text is no schedule.
public struct ScheduleError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Which part is wrong, and how: `the hour is '25'`.
    public var message: String
    /// What may be written there: `0 to 23, …`.
    public var expected: String
    /// What was probably meant.
    public var suggestion: String?

    init(_ message: String, expected: String, suggestion: String? = nil) {
        (self.message, self.expected, self.suggestion) = (message, expected, suggestion)
    }

    public var description: String {
        let question = suggestion.map { "; did you mean '\($0)'?" } ?? ""
        return "\(message); expected \(expected)\(question)"
    }
}

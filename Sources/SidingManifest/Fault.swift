// SPDX-License-Identifier: Apache-2.0
/// One fault of a config: its position, the problem and what to write instead.
///
/// A fault never contains a secret, even one written in the wrong place.
public struct Fault: Sendable, Hashable, CustomStringConvertible {
    /// The key or value to change.
    public var place: Place
    /// The problem, naming the key and its owner.
    public var message: String
    /// What is allowed there, if that can be said in general.
    public var expected: String?
    /// The spelling that was probably intended.
    public var suggestion: String?

    /// A fault; see ``description`` for how its parts become one line.
    package init(place: Place, message: String, expected: String? = nil, suggestion: String? = nil) {
        (self.place, self.message, self.expected, self.suggestion) = (place, message, expected, suggestion)
    }

    /// `siding.yaml:12:5: unknown key 'pagnate' in resource 'issues'; expected one of …; did you mean 'paginate'?`
    public var description: String {
        var text = "\(place): \(message)"
        if let expected { text += "; expected \(expected)" }
        if let suggestion { text += "; did you mean '\(suggestion)'?" }
        return text
    }
}

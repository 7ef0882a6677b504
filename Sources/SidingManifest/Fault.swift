/// One thing that is wrong in a configuration: where, what, and what to write instead.
///
/// No fault repeats the value of a secret, not even of one that was written where none belongs.
public struct Fault: Sendable, Hashable, CustomStringConvertible {
    public var place: Place
    /// What is wrong, naming the key and its owner.
    public var message: String
    /// What would have been right, where that can be said in general.
    public var expected: String?
    /// The spelling that was probably meant.
    public var suggestion: String?

    public init(place: Place, message: String, expected: String? = nil, suggestion: String? = nil) {
        self.place = place
        self.message = message
        self.expected = expected
        self.suggestion = suggestion
    }

    /// `siding.yaml:12:5: unknown key 'pagnate' in resource 'issues'; expected one of …; did you mean 'paginate'?`
    public var description: String {
        var text = "\(place): \(message)"
        if let expected { text += "; expected \(expected)" }
        if let suggestion { text += "; did you mean '\(suggestion)'?" }
        return text
    }
}

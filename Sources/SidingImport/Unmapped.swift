public import SidingManifest

/// Something of the imported file that the produced configuration does not say, or says only in part.
///
/// No value of the file is repeated that could be a secret.
public struct Unmapped: Sendable, Hashable, CustomStringConvertible {
    /// Where it stands in the structure of the file, such as `resources[1].endpoint.params.since`.
    public var path: String
    /// Where it stands in the text of the file.
    public var place: Place
    /// Why it was left out, or what was done instead.
    public var reason: String
    /// What a person can do about it.
    public var hint: String?

    public init(path: String, place: Place, reason: String, hint: String? = nil) {
        (self.path, self.place, self.reason, self.hint) = (path, place, reason, hint)
    }

    /// `manifest.yaml:12:5: streams[0].retriever: why / what to do by hand`
    public var description: String { "\(place): \(path): \(words)" }

    /// The reason and the hint.
    var words: String { hint.map { "\(reason) / \($0)" } ?? reason }
}

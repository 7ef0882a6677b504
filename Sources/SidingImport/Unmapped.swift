// SPDX-License-Identifier: Apache-2.0
public import SidingManifest

/// A part of the imported file that the config lacks or contains only partly.
///
/// It never quotes a value that could be a secret.
public struct Unmapped: Sendable, Hashable, CustomStringConvertible {
    /// The path in the file's structure, such as `resources[1].endpoint.params.since`.
    public var path: String
    /// The position in the file's text.
    public var place: Place
    /// Why it was omitted, or how it was changed.
    public var reason: String
    /// What the user can do.
    public var hint: String?

    /// The parameters are the properties of the same names.
    public init(path: String, place: Place, reason: String, hint: String? = nil) {
        (self.path, self.place, self.reason, self.hint) = (path, place, reason, hint)
    }

    /// Such as `manifest.yaml:12:5: streams[0].retriever: why / what to do by hand`.
    public var description: String { "\(place): \(path): \(message)" }

    /// The reason and the hint.
    var message: String { hint.map { "\(reason) / \($0)" } ?? reason }
}

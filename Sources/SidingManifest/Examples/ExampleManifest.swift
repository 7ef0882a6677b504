/// A commented configuration to begin with: what `siding init` writes.
public struct ExampleManifest: Sendable, Hashable {
    /// Names the example on the command line.
    public let name: String
    /// One line that says what it shows.
    public let summary: String
    /// The text of the file.
    public let text: String

    /// Every example, the default one first.
    public static let all = [blog, github, local]

    /// What `siding init` writes where no name is given; it works as it stands.
    public static let standard = blog

    /// The example of that name; nil where there is none.
    public static func named(_ name: String) -> ExampleManifest? { all.first { $0.name == name } }
}

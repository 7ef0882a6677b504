/// What a text of the file comes to, once its references are looked at.
enum ImportedText: Sendable, Hashable {
    /// Text as it stands.
    case literal(String)
    /// A secret that the named variable is to hold, behind fixed text such as `Bearer `.
    case secret(variable: String, prefix: String)
    /// Something that only the other program can work out; named for a person.
    case unknown(String)
}

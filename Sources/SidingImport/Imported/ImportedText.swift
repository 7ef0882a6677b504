// SPDX-License-Identifier: Apache-2.0
/// A text of the input after resolving references.
enum ImportedText: Sendable, Hashable {
    /// Plain text.
    case literal(String)
    /// A secret in the named variable, after fixed text such as `Bearer `.
    case secret(variable: String, prefix: String)
    /// Something that only the other program can evaluate; with its description.
    case unknown(String)
}

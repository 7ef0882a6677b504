// SPDX-License-Identifier: Apache-2.0
extension String {
    /// The text; nil for an empty one, by which origins say that there is no value: a token, an id or a link of no
    /// characters leads nowhere, and must not replace one that does.
    package var nonEmpty: String? { isEmpty ? nil : self }
}

extension String {
    /// The text; nil for an empty one, or one of white space alone.
    package var nonBlank: String? { allSatisfy(\.isWhitespace) ? nil : self }
}

// SPDX-License-Identifier: Apache-2.0
extension String {
    /// The text with each scalar of `escapes` written as it says.
    ///
    /// It goes by scalars: a quote with a combining accent, and CR LF, are each one character of Swift, in which `replacing` finds
    /// neither the quote nor the LF, though the reader of the text does.
    package func escaping(_ escapes: [Unicode.Scalar: String]) -> String {
        unicodeScalars.reduce(into: "") { text, scalar in
            if let escape = escapes[scalar] { text += escape } else { text.unicodeScalars.append(scalar) }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
/// Writes YAML scalars so that they are read back as the same text.
enum ScalarText {
    /// - Parameter isPlain: whether it must not be quoted, for numbers and Booleans.
    static func text(_ text: String, isPlain: Bool, inFlow: Bool) -> String {
        isPlain || isSafe(text, inFlow: inFlow) ? text : quoted(text)
    }

    /// Words that some YAML readers do not take as text.
    private static let reserved: Set<String> = [
        "", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf",
    ]

    /// Whether the text needs no quotes; in doubt it gets them. Text that begins like a number may be read as one, and brackets,
    /// braces and colons have a meaning in flow collections.
    private static func isSafe(_ text: String, inFlow: Bool) -> Bool {
        guard text.utf8.count <= 200, !reserved.contains(text.lowercased()) else { return false }
        if text.wholeMatch(of: /[0-9]{1,12}(ms|s|m|h|d)/) != nil { return true }
        if text.wholeMatch(of: /[A-Za-z_$\/][A-Za-z0-9_$.\/+~-]*/) != nil { return true }
        return !inFlow
            && text.wholeMatch(of: /[A-Za-z_$\/][A-Za-z0-9_$.\/+~*\[\]{}?=&:-]*[A-Za-z0-9_$.\/+~*\[\]}]/) != nil
    }

    /// The text in double quotes (YAML 1.2 §7.3.1), with invisible characters escaped.
    static func quoted(_ text: String) -> String {
        var view = String.UnicodeScalarView()
        view.append("\"")
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22, 0x5C:
                view.append("\\")
                view.append(scalar)
            case 0x20...0x7E: view.append(scalar)
            case 0xA0...0x2027, 0x2030...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD:
                isPrivate(scalar) ? view.append(contentsOf: escaped(scalar)) : view.append(scalar)
            default: view.append(contentsOf: escaped(scalar))
            }
        }
        view.append("\"")
        return String(view)
    }

    private static func isPrivate(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .format, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String.UnicodeScalarView {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let width = scalar.value <= 0xFF ? 2 : scalar.value <= 0xFFFF ? 4 : 8
        let sign = width == 2 ? "\\x" : width == 4 ? "\\u" : "\\U"
        return (sign + String(repeating: "0", count: max(0, width - digits.count)) + digits).unicodeScalars
    }
}

// SPDX-License-Identifier: Apache-2.0
/// The placeholders in the paths, queries and bodies of a config: `{name}`.
enum Placeholder {
    /// A valid name for the placeholder of `field`: letters, digits and underscores, and no digit first.
    static func name(for field: String) -> String {
        let name = String(field.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        // `{cursor}` and `{until}` are reserved for the cursor.
        let isReserved = name == "cursor" || name == "until"
        return name.first.map { $0.isNumber } ?? true || isReserved ? "_" + name : name
    }
}

// SPDX-License-Identifier: Apache-2.0
package import SidingJSON

/// A next page that an answer names.
package struct NextPageReference: Sendable, Hashable {
    package enum Kind: Sendable, Hashable { case url, number, token, unreadable }

    /// Where it stands: at a path of the body, or in a header field.
    package enum Place: Sendable, Hashable, CustomStringConvertible {
        case body(JSONPath)
        case header(String)

        package var description: String {
            switch self {
            case .body(let path): path.description
            case .header(let name): "the header field \(name)"
            }
        }
    }

    package var kind = Kind.unreadable
    package var place: Place
    package var text = ""
    /// Whether the name is unambiguous: a `cursor` may also be that of this page.
    package var isCertain = true
    /// Whether its name says that a number is a token, rather than that of a page.
    var isToken = false
    /// Whether it is in a list of links of all relations, where its place changes from page to page.
    var isElement = false
}

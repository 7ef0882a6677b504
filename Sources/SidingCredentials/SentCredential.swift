// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

/// The secrets within the value of a header field that a request carried, so that they are found again where an origin
/// repeats them.
package enum SentCredential {
    /// Shorter values are no credentials, and would be found where nothing is meant by them.
    package static let shortest = 6

    /// `value`, what follows the scheme's name in it ("Bearer abc"), and what Basic credentials consist of.
    package static func parts(of value: String) -> Set<String> {
        guard let credential = value.split(separator: " ", maxSplits: 1).dropFirst().first else { return [value] }
        return Set([value, String(credential)] + parts(ofBasic: String(credential)))
    }

    /// The pair, and the password; the user's name where that is empty, as it is the key then (RFC 7617 §2).
    private static func parts(ofBasic credential: String) -> [String] {
        guard let data = Data(base64Encoded: credential), let pair = String(data: data, encoding: .utf8),
            let colon = pair.firstIndex(of: ":")
        else { return [] }
        let password = String(pair[pair.index(after: colon)...])
        return [pair, password.isEmpty ? String(pair[..<colon]) : password]
    }
}

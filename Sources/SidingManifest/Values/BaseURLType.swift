// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

extension ValueType where Value == HTTPURL {
    /// The base URL of a source. The fault for credentials in the URL does not quote them.
    static let baseURL: ValueType = ValueType<String>.text("a URL such as https://api.example.com/v2")
        .map { text, node, reading in
            if hasUserInformation(text) {
                let message = "\(reading.subject) carries user information, a secret that this file never holds"
                reading.fault(message, at: node.place, expected: "'auth' with the password as { env: NAME }")
                return nil
            }
            if let name = SecretNames.secretQueryName(inURL: text) {
                reading.refuseSecretName(name, at: node.place)
                return nil
            }
            if text.contains("#") {
                let message = "\(reading.subject) has a fragment, which never travels"
                reading.fault(message, at: node.place, expected: "a URL without '#'")
                return nil
            }
            return url(text, node, &reading)
        }

    private static func url(_ text: String, _ node: YAMLNode, _ reading: inout Reading) -> HTTPURL? {
        do {
            return try HTTPURL(text)
        } catch {
            // The detail quotes the text, in which a secret can only be behind the `?`.
            let detail = text.contains("?") ? "it is not a URL" : error.detail ?? "it is not a URL"
            let message = "\(reading.subject): \(detail)"
            let suggestion = text.contains("://") || text.contains("?") ? nil : "https://" + text
            reading.fault(
                message, at: node.place, expected: "a URL such as https://api.example.com/v2",
                suggestion: suggestion.flatMap { (try? HTTPURL($0)) == nil ? nil : $0 })
            return nil
        }
    }

    /// Whether the authority, or the part where it would be, contains an `@`.
    private static func hasUserInformation(_ text: String) -> Bool {
        let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
        return text[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }.contains("@")
    }
}

extension ValueType where Value == String {
    /// A scheme and an authority, without a path.
    static let origin: ValueType = ValueType<HTTPURL>.baseURL.map { url, node, reading in
        guard url.requestTarget == "/" else {
            reading.fault(
                "\(reading.subject) has a path, which counts for nothing here", at: node.place, expected: url.origin)
            return nil
        }
        return url.origin
    }
}

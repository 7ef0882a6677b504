// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes
package import SidingJSON

/// Removes secrets from everything that people or files may see: URLs in errors, headers in logs.
package enum Redaction {
    /// Names of query parameters and members whose values are never shown, in lower case and without `_` and `-`.
    package static let secretNames: Set<String> = [
        "accesskey", "accesstoken", "apikey", "appkey", "auth", "authorization", "authtoken", "clientsecret", "idtoken",
        "jwt", "passwd", "password", "privatekey", "privatetoken", "pwd", "refreshtoken", "secret", "secretkey",
        "sessionid", "sessiontoken", "sig", "signature", "subscriptionkey", "token", "xapikey",
        // Whoever has these values can use a signed link of an object store.
        "awsaccesskeyid", "googleaccessid", "qsignature", "xamzcredential", "xamzsecuritytoken", "xamzsignature",
        "xgoogcredential", "xgoogsignature", "xosscredential", "xosssecuritytoken", "xosssignature",
    ]

    /// Query parameters that are credentials at some origins and ordinary values at others, as in `?code=DE`, `?key=title` and
    /// `?app_id=7`: never shown either. In members, they are shown: people look for an error's code and a record's key.
    package static let ambiguousQueryNames: Set<String> = ["appid", "code", "key", "session", "sessionid"]

    /// Header fields whose values are never stored, in lower case.
    package static let secretHeaderNames: Set<String> = [
        "api-key", "apikey", "authentication-info", "authorization", "cookie", "ocp-apim-subscription-key",
        "private-token", "proxy-authentication-info", "proxy-authorization", "set-cookie", "x-access-token",
        "x-amz-security-token", "x-api-key", "x-auth-token", "x-csrf-token", "x-goog-api-key", "x-xsrf-token",
    ]

    /// Whether the values of the query parameter `name` are secret, in any spelling: `accessToken`, `access_token`.
    package static func isSecret(queryName name: String, also names: Set<String> = []) -> Bool {
        let plain = plain(name)
        return secretNames.contains(plain) || ambiguousQueryNames.contains(plain) || names.contains(name)
    }

    /// The spelling of ``secretNames``.
    package static func plain(_ name: String) -> String { name.lowercased().filter { $0 != "_" && $0 != "-" } }

    /// The URL for display: values of secret query parameters replaced by `…`.
    package static func url(_ url: HTTPURL, also names: Set<String> = []) -> String {
        url.query.map { url.with(query: self.query($0, also: names)).description } ?? url.description
    }

    /// The same for the URL of a request head.
    package static func url(of request: HTTPRequest, also names: Set<String>) -> String {
        let path = request.path ?? "/"
        let origin = "\(request.scheme ?? "")://\(request.authority ?? "")"
        guard let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) else { return origin + path }
        return "\(origin)\(path[...mark])\(query(String(path[path.utf8.index(after: mark)...]), also: names))"
    }

    /// An already redacted URL, with the values of these parameters removed as well.
    static func shown(_ url: String, also names: Set<String>) -> String {
        guard !names.isEmpty, let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return url }
        return "\(url[...mark])\(query(String(url[url.utf8.index(after: mark)...]), also: names))"
    }

    private static func query(_ query: String, also names: Set<String>) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false).map { pair -> String in
            let name = pair.prefix { $0 != "=" }
            let decoded = HTTPURL.decode(String(name))
            return isSecret(queryName: decoded, also: names) ? "\(name)=…" : String(pair)
        }.joined(separator: "&")
    }
}

extension Redaction {
    /// Whether the value of the member `name` is secret, in any spelling.
    package static func isSecret(memberName name: String) -> Bool {
        secretNames.contains(plain(name))
    }

    /// The start of a value for an error message: one line, bounded, secrets replaced by `…`.
    package static func excerpt(_ document: JSONDocument) -> String {
        document.excerpt(hiding: isSecret(memberName:))
    }
}

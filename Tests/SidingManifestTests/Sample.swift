// SPDX-License-Identifier: Apache-2.0
import SidingTesting
import TestSupport

/// A configuration as a tree that tests change at will, written as YAML's flow style.
indirect enum Sample: Sendable {
    /// Written as it stands.
    case word(String)
    case list([Sample])
    case map([(String, Sample)])

    /// What each value is exchanged for.
    static let replacements: [Sample] = [
        .word("x"), .word("7"), .word("true"), .word("~"), .word("'yes'"), .word("2024-01-01"), .word("1.10"),
        .list([]),
        .list([.word("a"), .word("3")]), .map([]), .map([("type", .word("none"))]), .map([("env", .word("X"))]),
        .word("\"\\0\""), .word("99999999999999999999999"), .word("-1"), .word("''"),
    ]

    /// One in so many of all exchanges; in the long proofs all of them, which takes minutes.
    static let stride = Proof.choose(short: 11, middle: 6, long: 1)

    /// What takes the place of each value in ``config``. Each value has its share, and each replacement its turn.
    static var exchanges: [(path: [Int], replacement: Sample)] {
        config.paths.enumerated().flatMap { number, path in
            replacements.enumerated().filter { ($0.offset + number) % stride == 0 }.map { (path, $0.element) }
        }
    }

    var yaml: String {
        switch self {
        case .word(let text): text
        case .list(let items): "[" + items.map(\.yaml).joined(separator: ", ") + "]"
        case .map(let members): "{" + members.map { "\($0.0): \($0.1.yaml)" }.joined(separator: ", ") + "}"
        }
    }

    /// The index paths of all values, the whole first.
    var paths: [[Int]] {
        [[]] + children.enumerated().flatMap { index, child in child.paths.map { [index] + $0 } }
    }

    func replacing(_ path: [Int], with value: Sample) -> Sample {
        guard let index = path.first else { return value }
        let rest = Array(path.dropFirst())
        switch self {
        case .word: return self
        case .list(var items):
            items[index] = items[index].replacing(rest, with: value)
            return .list(items)
        case .map(var members):
            members[index].1 = members[index].1.replacing(rest, with: value)
            return .map(members)
        }
    }

    private var children: [Sample] {
        switch self {
        case .word: []
        case .list(let items): items
        case .map(let members): members.map(\.1)
        }
    }
}

extension Sample {
    private static func words(_ pairs: KeyValuePairs<String, String>) -> Sample {
        .map(pairs.map { ($0.key, .word($0.value)) })
    }

    /// Every key that this release understands.
    static let config = Sample.map([
        ("version", .word("1")), ("database", words(["path": "t.db", "synchronous": "full"])),
        ("sources", .map([("tracker", tracker), ("shop", shop), ("maps", maps)] + signIns)),
        (
            "resources",
            .map([("issues", issues), ("search", search)] + pagings.enumerated().map { ("r\($0)", resource($1)) })
        ),
    ])

    private static let tracker = Sample.map([
        ("base_url", .word("'https://api.example.com/v2'")), ("headers", words(["Accept": "text/json", "X-A": "1"])),
        ("auth", .map([("type", .word("bearer")), ("token", words(["env": "TOKEN"]))])),
        (
            "http",
            words([
                "connect_timeout": "5s", "idle_timeout": "30s", "total_timeout": "2m", "max_body": "64MiB",
                "redirects": "5", "concurrency": "4",
                "allow_plain_http": "false", "min_rate": "1KiB", "compression": "auto", "user_agent": "me",
                "interface": "wwan0", "proxy": "none",
            ])
        ),
        ("retry", words(["inline": "2", "base": "2s", "cap": "1h", "expire": "7d"])),
        (
            "limits",
            .list([
                words(["match": "/a/*", "rate": "30/m", "remaining_header": "X-Left", "reset_header": "X-Reset"]),
                words(["bytes": "50MiB/d"]),
            ])
        ),
    ])

    private static let shop = Sample.map([
        ("base_url", .word("'http://localhost'")),
        ("auth", .map([("type", .word("basic")), ("user", .word("ada")), ("password", words(["file": "p"]))])),
    ])

    private static let maps = Sample.map([
        ("base_url", .word("'https://maps.example'")),
        (
            "auth",
            .map([
                ("type", .word("api_key")), ("in", .word("query")), ("name", .word("k")),
                ("key", .map([("command", .list([.word("vault"), .word("read")]))])),
            ])
        ),
        (
            "http",
            .map([
                (
                    "proxy",
                    .map([
                        ("url", .word("'http://p:3128'")), ("user", .word("ada")), ("password", words(["env": "P"])),
                    ])
                )
            ])
        ),
        (
            "tls",
            .map([
                ("ca_file", .word("ca.pem")), ("only", .word("true")), ("certificate", .word("c.pem")),
                ("key", .word("k.pem")), ("key_password", words(["file": "p"])), ("min_version", .word("'1.3'")),
            ])
        ),
    ])

    private static let refresh = Sample.map([("early", .word("30s")), ("on_status", .list([.word("401")]))])

    private static let signIns: [(String, Sample)] = [
        [
            ("type", .word("oauth2_client")), ("token_url", .word("'https://id.example/token'")),
            ("client_id", .word("me")), ("client_secret", words(["env": "S"])), ("client_auth", .word("body")),
            ("scope", .word("read")), ("audience", .word("all")),
            ("params", .map([("tenant", .word("7")), ("assertion", words(["file": "a"]))])), ("refresh", refresh),
        ],
        [
            ("type", .word("oauth2_refresh")), ("token_url", .word("'https://id.example/token'")),
            ("client_id", words(["env": "I"])), ("refresh_token", words(["file": "r"])), ("refresh", refresh),
        ],
        [
            ("type", .word("session")), ("path", .word("/login")), ("encoding", .word("form")),
            ("body", .map([("user", words(["name": "ada", "n": "7"])), ("password", words(["env": "P"]))])),
            ("token", .word("$.a.b")), ("expires_in", .word("$.end")), ("lifetime", .word("1h")),
            ("header", .word("X-Auth-Token")), ("prefix", .word("Token")), ("refresh", refresh),
        ],
        [
            ("type", .word("command")), ("command", .list([.word("vault"), .word("read")])), ("token", .word("$.t")),
            ("refresh", refresh),
        ],
    ].enumerated().map { number, auth in
        ("s\(number)", .map([("base_url", .word("'https://s\(number).example'")), ("auth", .map(auth))]))
    }

    private static let issues = Sample.map([
        ("source", .word("tracker")), ("path", .word("/issues")), ("method", .word("GET")),
        ("query", .map([("n", .word("100")), ("tags", .list([.word("a")])), ("in", words(["a": "b"]))])),
        ("query_encoding", .word("plain")), ("records", .word("'$.items[*]'")),
        ("key", .list([.word("repo"), .word("id")])),
        ("paginate", words(["type": "cursor", "path": "$.next", "param": "after"])),
        ("stop", words(["max_pages": "1000", "has_more": "$.more"])), ("conditional", .word("auto")),
        ("max_age", .word("15m")),
    ])

    private static let search = Sample.map([
        ("source", .word("shop")), ("path", .word("/x")), ("key", .word("id")), ("method", .word("POST")),
        ("body", .map([("n", .word("100")), ("tags", .list([.word("a")])), ("in", words(["a": "b"]))])),
        ("body_encoding", .word("form")),
        (
            "paginate",
            words(["type": "offset", "in": "body", "param": "$.in.o", "limit_param": "l", "limit": "50"])
        ),
    ])

    private static let pagings: [Sample] = [
        .word("none"), words(["type": "next_url", "path": "$.next"]),
        words(["type": "next_url", "header": "X-Next-Url"]),
        words(["type": "header_cursor", "header": "X-Next", "param": "n"]),
        words(["type": "page", "param": "p", "start": "0", "size_param": "s", "size": "50"]),
        words(["type": "offset", "param": "o", "start": "0", "limit_param": "l", "limit": "50"]),
        words(["type": "cursor", "last": "$.id", "in": "query", "param": "after"]),
    ]

    private static func resource(_ paging: Sample) -> Sample {
        .map([("source", .word("shop")), ("path", .word("/x")), ("key", .word("id")), ("paginate", paging)])
    }
}

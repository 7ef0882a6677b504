// SPDX-License-Identifier: Apache-2.0
/// A source file as a tree that tests change at will, written as YAML's flow style.
indirect enum Tree: Sendable {
    case word(String)
    case list([Tree])
    case map([(String, Tree)])

    static let replacements: [Tree] = [
        .word("x"), .word("7"), .word("-1"), .word("true"), .word("~"), .word("''"), .word("99999999999999999999"),
        .word("\"{{ config['x'] }}\""), .word("\"{{ }}\""), .word("\"{resources.a.b}\""), .word("\"#/streams/0\""),
        .word("\"\\0\\u2028 # x: y\""), .list([]), .list([.word("a"), .map([])]), .map([]),
        .map([("type", .word("x"))]), .map([("$ref", .word("\"#/\""))]), .map([("a", .list([.word("1")]))]),
    ]

    var text: String {
        switch self {
        case .word(let text): text
        case .list(let items): "[" + items.map(\.text).joined(separator: ", ") + "]"
        case .map(let members): "{ " + members.map { "\($0.0): \($0.1.text)" }.joined(separator: ", ") + " }"
        }
    }

    var paths: [[Int]] {
        [[]] + children.enumerated().flatMap { index, child in child.paths.map { [index] + $0 } }
    }

    func replacing(_ path: [Int], with value: Tree) -> Tree {
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

    private var children: [Tree] {
        switch self {
        case .word: []
        case .list(let items): items
        case .map(let members): members.map(\.1)
        }
    }

    private static func words(_ pairs: KeyValuePairs<String, String>) -> Tree {
        .map(pairs.map { ($0.key, .word($0.value)) })
    }

    static let dlt = Tree.map([
        (
            "client",
            .map([
                ("base_url", .word("'https://api.example.com'")), ("headers", words(["X-A": "b"])),
                ("auth", words(["type": "api_key", "api_key": "'dlt.secrets[\"a\"]'", "name": "X-K"])),
                ("paginator", words(["type": "offset", "limit": "10", "maximum_offset": "50"])),
            ])
        ),
        (
            "resource_defaults",
            .map([("primary_key", .word("id")), ("endpoint", .map([("params", words(["n": "1"]))]))])
        ),
        (
            "resources",
            .list([
                .word("posts"),
                .map([
                    ("name", .word("comments")), ("write_disposition", .word("merge")),
                    ("columns", .map([("id", words(["data_type": "bigint"]))])),
                    (
                        "endpoint",
                        .map([
                            ("path", .word("'posts/{post}/comments'")), ("data_selector", .word("items")),
                            (
                                "params",
                                .map([
                                    ("post", words(["type": "resolve", "resource": "posts", "field": "id"])),
                                    (
                                        "since",
                                        words([
                                            "type": "incremental", "cursor_path": "at", "initial_value": "'2024-01-01'",
                                        ])
                                    ),
                                    ("list", .list([.word("1")])),
                                ])
                            ),
                            ("json", .map([("a", .map([("b", .word("c"))]))])),
                            ("paginator", words(["type": "cursor", "cursor_path": "next", "cursor_param": "c"])),
                            ("response_actions", .list([words(["status_code": "404", "action": "ignore"])])),
                            ("incremental", words(["cursor_path": "at", "start_param": "from"])),
                        ])
                    ),
                ]),
            ])
        ),
    ])

    private static let option = words(["inject_into": "request_parameter", "field_name": "p"])

    private static let parent = Tree.map([
        (
            "transformations",
            .list([
                .map([
                    ("type", .word("AddFields")),
                    (
                        "fields",
                        .list([.map([("path", .list([.word("p")])), ("value", .word("\"{{ record['id'] }}\""))])])
                    ),
                ])
            ])
        ), ("retriever", .map([("requester", words(["url_base": "'https://api.example.com'", "path": "ps"]))])),
    ])

    private static let child = Tree.map([
        ("name", .word("c")),
        (
            "retriever",
            .map([
                (
                    "requester",
                    .map([
                        ("url_base", .word("\"https://{{ config['h'] }}.example.com/v1\"")),
                        ("path", .word("\"{{ config['o'] }}/{{ stream_partition.p }}\"")),
                        ("http_method", .word("POST")),
                        (
                            "request_body",
                            .map([("type", .word("RequestBodyJsonObject")), ("value", words(["q": "\"'x'\""]))])
                        ),
                    ])
                ),
                (
                    "partition_router",
                    .map([
                        ("type", .word("SubstreamPartitionRouter")),
                        (
                            "parent_stream_configs",
                            .list([
                                .map([
                                    ("stream", parent), ("parent_key", .word("p")), ("partition_field", .word("p")),
                                ])
                            ])
                        ),
                    ])
                ),
            ])
        ),
    ])

    static let airbyte = Tree.map([
        ("version", .word("6.0.0")),
        (
            "definitions",
            .map([("auth", words(["type": "BearerAuthenticator", "api_token": "\"{{ config['t'] }}\""]))])
        ),
        (
            "streams",
            .list([
                .map([
                    ("name", .word("a")), ("primary_key", .list([.word("id")])), ("$parameters", words(["path": "/a"])),
                    (
                        "incremental_sync",
                        .map([
                            ("cursor_field", .word("at")), ("datetime_format", .word("\"%Y-%m-%d\"")),
                            ("start_time_option", option),
                            ("start_datetime", words(["datetime": "'2024-01-01'"])), ("lookback_window", .word("P1D")),
                        ])
                    ),
                    (
                        "schema_loader",
                        .map([
                            ("type", .word("InlineSchemaLoader")),
                            ("schema", .map([("properties", .map([("id", words(["type": "integer"]))]))])),
                        ])
                    ),
                    (
                        "transformations",
                        .list([
                            .map([("type", .word("RemoveFields")), ("field_pointers", .list([.list([.word("x")])]))])
                        ])
                    ),
                    (
                        "retriever",
                        .map([
                            (
                                "requester",
                                .map([
                                    ("url_base", .word("'https://api.example.com'")), ("http_method", .word("GET")),
                                    ("request_parameters", words(["q": "x"])), ("request_headers", words(["X-A": "b"])),
                                    ("request_body_json", .map([("f", .list([.word("1")]))])),
                                    ("authenticator", words(["$ref": "\"#/definitions/auth\""])),
                                    (
                                        "error_handler",
                                        .map([
                                            (
                                                "response_filters",
                                                .list([
                                                    .map([
                                                        ("http_codes", .list([.word("404")])),
                                                        ("action", .word("IGNORE")),
                                                    ])
                                                ])
                                            ),
                                            (
                                                "backoff_strategies",
                                                .list([
                                                    words([
                                                        "type": "ConstantBackoffStrategy",
                                                        "backoff_time_in_seconds": "5",
                                                    ])
                                                ])
                                            ),
                                        ])
                                    ),
                                ])
                            ),
                            (
                                "record_selector",
                                .map([
                                    ("extractor", .map([("field_path", .list([.word("d")]))])),
                                    ("record_filter", words(["condition": "\"{{ record.a == 'b' }}\""])),
                                ])
                            ),
                            (
                                "paginator",
                                .map([
                                    ("pagination_strategy", words(["type": "PageIncrement", "page_size": "10"])),
                                    ("page_token_option", option), ("page_size_option", option),
                                ])
                            ),
                            (
                                "partition_router",
                                .map([
                                    ("type", .word("ListPartitionRouter")),
                                    ("values", .list([.word("u"), .word("v")])), ("cursor_field", .word("k")),
                                    ("request_option", option),
                                ])
                            ),
                        ])
                    ),
                ]),
                child,
            ])
        ),
        (
            "spec",
            .map([
                ("connection_specification", .map([("properties", .map([("t", words(["airbyte_secret": "true"]))]))]))
            ])
        ),
    ])
}

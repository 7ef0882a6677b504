// SPDX-License-Identifier: Apache-2.0
import SidingManifest
import Testing

@Suite struct FaultTests {
    /// A configuration around one wrong part, and what is said about it.
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let faults: [String]
        var testDescription: String { faults.first ?? "none" }

        /// A source with `part` in it, from line 5 on.
        static func source(_ part: String, _ faults: String...) -> Case {
            Case(
                text: """
                    version: 1
                    sources:
                      blog:
                        base_url: https://example.com
                    \(part.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
                    resources: { posts: { path: /posts, key: id } }
                    """, faults: faults.map { "siding.yaml:" + $0 })
        }

        /// A resource with `part` in it, from line 7 on.
        static func resource(_ part: String, _ faults: String...) -> Case {
            Case(
                text: """
                    version: 1
                    sources: { blog: { base_url: https://example.com } }
                    resources:
                      posts:
                        path: /posts
                        key: id
                    \(part.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
                    """, faults: faults.map { "siding.yaml:" + $0 })
        }
    }

    static let resourceKeys =
        "one of source, path, method, query, query_encoding, body, body_encoding, records, key, paginate, stop, cursor, conditional, max_age, schedule, "
        + "columns, children, contract, history, keep, stable, deletes, for_each, where, drop, set, rename, errors"
    static let secret = "{ env: NAME }, { file: PATH } or { command: [PROGRAM, ARGUMENT, …] }"
    static let kinds = "none, bearer, basic, api_key, oauth2_client, oauth2_refresh, session, command"
    static let duration = "a duration such as 500ms, 30s, 15m, 2h or 7d, at least 1ms"
    static let paging = "one of auto, none, link_header, next_url, cursor, header_cursor, page, offset"

    static let sourceCases: [Case] = [
        .source(
            "retyr: { base: 2s }",
            "5:5: unknown key 'retyr' in source 'blog'; expected one of base_url, headers, auth, http, tls, retry, idempotency, errors, limits, trace; "
                + "did you mean 'retry'?"),
        .source(
            "limits: []",
            "5:13: 'limits' in source 'blog' is an empty list; expected a list of limits such as { match: \"**\", rate: 30/m }"
        ),
        .source(
            "http: { connect_timeout: 30 }",
            "5:30: 'connect_timeout' in 'http' of source 'blog' is '30'; expected \(duration); did you mean '30s'?"),
        .source(
            "http: { total_timeout: 0s }",
            "5:28: 'total_timeout' in 'http' of source 'blog' is '0s'; expected \(duration)"),
        .source(
            "http: { max_body: 64M }",
            "5:23: 'max_body' in 'http' of source 'blog' is '64M'; expected a size such as 64KiB, 50MiB or 1GiB, "
                + "at most 16GiB; did you mean '64MiB'?"),
        .source(
            "http: { redirects: 21 }",
            "5:24: 'redirects' in 'http' of source 'blog' is '21'; expected a whole number from 0 to 20"),
        .source(
            "http: { redirect_to: [https://cdn.example.com/files] }",
            "5:27: item 1 of 'redirect_to' in 'http' of source 'blog' has a path, which counts for nothing here; "
                + "expected https://cdn.example.com"),
        .source(
            "http: { allow_plain_http: yes }",
            "5:31: 'allow_plain_http' in 'http' of source 'blog' is 'yes'; expected true or false; did you mean 'true'?"
        ),
        .source(
            "http: [5s]",
            "5:11: 'http' in source 'blog' is a list; expected a map with connect_timeout, idle_timeout, total_timeout, "
                + "min_rate, max_body, redirects, redirect_to, concurrency, compression, user_agent, "
                + "interface, proxy, allow_plain_http"),
        .source(
            "retry:",
            "5:5: 'retry' in source 'blog' is empty; expected a map with inline, base, cap, expire"),
        .source(
            "retry: { base: 1h, cap: 1m }",
            "5:29: the first wait in 'retry' of source 'blog' is longer than the cap; expected base ≤ cap"),
        .source(
            "auth: { type: bearer, token: canary-literal }",
            "5:34: 'token' in 'auth' of source 'blog' is a literal; this file never holds a secret, only where to find it; "
                + "expected \(secret)"),
        .source("auth: { type: bearer }", "5:5: 'auth' of source 'blog' has no 'token'; expected \(secret)"),
        .source(
            "auth: { type: bearer, token: { env: X, file: y } }",
            "5:44: 'token' in 'auth' of source 'blog' is given twice; expected one of \(secret)"),
        .source(
            "auth: { type: bearer, token: { env: $TOKEN } }",
            "5:41: 'env' in 'token' of 'auth' of source 'blog' is not a name of an environment variable; "
                + "expected the name of an environment variable such as TRACKER_TOKEN; did you mean 'TOKEN'?"),
        .source(
            "auth: canary-literal",
            "5:11: 'auth' in source 'blog' is of no known type; expected one of \(kinds)"),
        .source(
            "auth: { token: { env: X } }",
            "5:11: 'auth' in source 'blog' has no 'type'; expected type: one of \(kinds)"),
        .source(
            "headers: { Authorization: canary-literal }",
            "5:16: the header field 'Authorization' in 'headers' of source 'blog' is a secret, which this file never holds; "
                + "expected 'auth', with the secret as { env: NAME }, { file: PATH } or { command: [PROGRAM] }"),
        .source(
            "headers: { Host: a }",
            "5:16: the header field 'Host' in 'headers' of source 'blog' is set by the transport alone"),
        .source(
            "headers: { 'a b': c }",
            "5:16: 'a b' in 'headers' of source 'blog' is not a name of a header field; "
                + "expected letters, digits and dashes such as X-API-Key"),
        .source("base_url: https://other.example", "5:5: duplicate key 'base_url', given already in line 4"),
    ]

    static let resourceCases: [Case] = [
        .resource(
            "pagnate: link_header",
            "7:5: unknown key 'pagnate' in resource 'posts'; expected \(resourceKeys); did you mean 'paginate'?"),
        .resource(
            "source: blgo",
            "7:13: 'source' in resource 'posts' is 'blgo', which 'sources' does not have; expected one of blog; did you mean 'blog'?"
        ),
        .resource(
            "method: get", "7:13: 'method' in resource 'posts' is 'get'; expected GET or POST; did you mean 'GET'?"),
        .resource(
            "query: { since: \"{page}\" }",
            "7:21: the placeholder '{page}' of 'since' in 'query' of resource 'posts' is bound by nothing; "
                + "expected for_each: { resource: …, bind: { page: $.page } }"),
        .resource(
            "query: { api_key: canary-literal }",
            "7:14: the query parameter 'api_key' in 'query' of resource 'posts' is a secret, which this file never holds; "
                + "expected auth: { type: api_key, in: query, name: …, key: { env: NAME } } in the source"),
        .resource("query: a=1", "7:12: 'query' in resource 'posts' is text; expected a map of query parameters"),
        .resource(
            "paginate: pages",
            "7:15: 'paginate' in resource 'posts' is of no known type; expected \(paging); did you mean 'page'?"),
        .resource(
            "paginate: { type: cursor, path: $.next }",
            "7:5: 'paginate' of resource 'posts' has no 'param'; expected the name of a parameter"),
        .resource(
            "paginate: { type: next_url, path: $.next, header: X-Next }",
            "7:47: 'paginate' in resource 'posts' has two places of its URL; expected one of path and header"),
        .resource(
            "paginate: { type: next_url, header: 'X Next' }",
            "7:41: 'X Next' in 'header' of 'paginate' of resource 'posts' is not a name of a header field; "
                + "expected letters, digits and dashes such as X-API-Key"),
        .resource(
            "paginate: { type: page, size_param: per_page }",
            "7:29: 'size_param' in 'paginate' of resource 'posts' has no 'size' to send; "
                + "expected a number such as 100, or { max: 1000, min: 10 }"),
        .resource(
            "paginate: { type: page, size_param: n, size: { max: 10, min: 100 } }",
            "7:50: 'size' in 'paginate' of resource 'posts' has a minimum above its maximum; expected min: 10 or less"),
        .resource(
            "paginate: { type: page, size: { max: 100, min: 10 } }",
            "7:29: no parameter sends 'size' in 'paginate' of resource 'posts'; expected size_param"),
        .resource(
            "paginate: { type: link_header, size: 100 }",
            "7:36: no parameter sends 'size' in 'paginate' of resource 'posts'; expected size_param"),
        .resource(
            "paginate: { type: page, start: 2, size_param: n, size: { max: 100, min: 10 } }",
            "7:29: 'size' in 'paginate' of resource 'posts' has a minimum, and a smaller page has another number; "
                + "expected start: 0 or start: 1"),
        .resource(
            "paginate: { type: offset, limit: 10, size: { max: 100, min: 10 } }",
            "7:42: 'paginate' in resource 'posts' has two page sizes; expected one of limit and size"),
        .resource(
            "stop: { max_pages: 1_000 }",
            "7:24: 'max_pages' in 'stop' of resource 'posts' is '1_000'; expected a whole number from 1 to 1000000000; "
                + "did you mean '1000'?"),
        .resource(
            "stop: { has_more: \"$.a[*]\" }",
            "7:23: 'has_more' in 'stop' of resource 'posts' is '$.a[*]', which means several values; "
                + "expected a JSON path to one value, without [*]"),
        .resource("conditional: on", "7:18: 'conditional' in resource 'posts' is 'on'; expected auto or off"),
        .resource(
            "max_age: 15 min",
            "7:14: 'max_age' in resource 'posts' is '15 min'; expected \(duration); did you mean '15m'?"),
        .resource(
            "query_encoding: php",
            "7:21: 'query_encoding' in resource 'posts' is 'php'; expected brackets or plain"),
    ]

    static let fileCases: [Case] = [
        Case(
            text: "",
            faults: ["siding.yaml:1:1: the file is empty; expected version, sources, and resources or writes"]),
        Case(
            text: "# nothing\n\n",
            faults: ["siding.yaml:1:1: the file is empty; expected version, sources, and resources or writes"]),
        Case(
            text: "posts",
            faults: [
                "siding.yaml:1:1: the file is text; expected a map with version, database, keep, sources, resources, writes, notify, publish"
            ]),
        Case(
            text: "\n- posts",
            faults: [
                "siding.yaml:2:1: the file is a list; expected a map with version, database, keep, sources, resources, writes, notify, publish"
            ]),
        Case(
            text: "version: 1",
            faults: [
                "siding.yaml:1:1: the file has no 'sources'; expected a map of one or more sources",
                "siding.yaml:1:1: the file has neither 'resources' nor 'writes'; expected a map of one or more resources, or of writes",
            ]),
        Case(
            text: "version: 1\nsources:\n\tblog: 1",
            faults: ["siding.yaml:3:1: a tab cannot indent YAML; expected spaces"]),
        Case(
            text: "version: 1\n---\nversion: 1",
            faults: ["siding.yaml:2:1: a second document begins here; expected one document"]),
        Case(
            text: "version: 1\r\na: 'b\r\n",
            faults: [
                "siding.yaml:2:4: not YAML: found unexpected end of stream (while scanning a quoted scalar); expected a closing quote further on"
            ]),
        Case(text: "a: \"é\u{7}\"", faults: ["siding.yaml:1:6: the character U+0007 may not stand in YAML"]),
    ]

    @Test(arguments: sourceCases + resourceCases + fileCases)
    func `a fault has its place, its problem and a remedy`(_ example: Case) {
        #expect(Fixture.faults(example.text) == example.faults)
    }

    @Test func `all faults come at once and in file order, with any order of sections`() {
        let faults = Fixture.faults(
            """
            resources:
              posts: { source: nope, path: /posts, key: id }
              sqlite_x: { path: https://example.com/x }
              Posts: { path: "/a/{id}", key: [id, 3, ""], source: blog }
            schedule: { posts: 15m }
            sources:
              Blog: {}
              blog: { base_url: "http://example.com" }
            version: 2
            """)
        #expect(
            faults == [
                "siding.yaml:2:20: 'source' in resource 'posts' is 'nope', which 'sources' does not have; expected one of Blog, blog",
                "siding.yaml:3:3: resource 'sqlite_x' has no 'key'; expected a name such as id, a list [name, name], or a JSON path such as $.meta.id",
                "siding.yaml:3:3: the name of resource 'sqlite_x' begins with sqlite_, which names tables of the database itself; expected a name such as issues, at most 100 characters",
                "siding.yaml:3:3: resource 'sqlite_x' has no 'source', and there are several; expected one of Blog, blog",
                "siding.yaml:4:3: resource 'Posts' differs from 'posts' in case alone, and SQLite takes both for one view",
                "siding.yaml:4:18: the placeholder '{id}' of 'path' in resource 'Posts' is bound by nothing; expected for_each: { resource: …, bind: { id: $.id } }",
                "siding.yaml:4:42: item 3 of 'key' in resource 'Posts' is empty text; expected a name such as id, [name, name], or a JSON path such as $.meta.id",
                "siding.yaml:5:1: unknown key 'schedule' at the top level; expected one of version, database, keep, sources, resources, writes, notify, publish",
                "siding.yaml:7:3: source 'Blog' has no 'base_url'; expected a URL such as https://api.example.com/v2",
                "siding.yaml:7:3: the name of source 'Blog' cannot be used in commands; expected a lower case letter, then lower case letters, digits, _ or -; did you mean 'blog'?",
                "siding.yaml:8:21: 'base_url' in source 'blog' is not encrypted; expected https, or http: { allow_plain_http: true }",
                "siding.yaml:9:10: 'version' is '2'; expected version: 1",
            ])
    }

    @Test func `a misspelt key is not missed as well`() {
        let faults = Fixture.faults(
            "version: 1\nsources: { a: { base_url: https://example.com } }\nresources: { b: { path: /b, kye: id } }")
        #expect(faults.count == 1)
        #expect(faults.first?.hasSuffix("did you mean 'key'?") == true)
    }

    @Test(arguments: [
        "auth: { type: bearer, token: canary-literal }", "auth: { type: bearer, token: [canary-literal] }",
        "auth: { type: bearer, token: { env: 'canary-literal' } }", "auth: canary-literal",
        "auth: { type: canary-literal }", "auth: { type: basic, user: ada, password: canary-literal }",
        "headers: { Cookie: canary-literal }", "headers: { X-Api-Key: canary-literal }",
    ])
    func `no fault repeats what was written where a secret belongs`(_ part: String) {
        let faults = Fixture.faults(Case.source(part).text)
        #expect(!faults.isEmpty)
        #expect(!faults.joined().contains("canary"))
    }

    @Test(arguments: [
        "https://ada:canary@example.com", "ftp://canary@example.com", "ada:canary@example.com",
        "https://example.com:99999/?token=canary", "https://exa mple.com/?access_token=canary",
        "https://example.com/#canary",
    ])
    func `a URL with credentials is refused without being shown`(_ url: String) {
        let faults = Fixture.faults(
            "version: 1\nsources: { a: { base_url: '\(url)' } }\nresources: { b: { path: /b, key: id } }")
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("siding.yaml:2:27: ") == true)
        #expect(!faults.joined().contains("canary"))
    }

    @Test func `names from the file cannot play tricks on a terminal`() {
        let faults = Fixture.faults("\"\\e]0;x\\a\\u202e\": 1")
        #expect(
            faults.first?.hasPrefix("siding.yaml:1:1: unknown key '\\u{1b}]0;x\\u{7}\\u{202e}' at the top level")
                == true)
    }
}

// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingCredentials
import SidingJSON
import SidingManifest
import Testing

@Suite struct ConfigTests {
    @Test func `a source has the values of the file`() throws {
        let config = try Fixture.parse(FullConfig.text)
        #expect(config.sources.map(\.name) == ["tracker", "shop", "maps", "mail", "crm", "books", "old", "cloud"])
        #expect(config.synchronous == .normal)
        let tracker = config.sources[0]
        #expect(tracker.baseURL.description == "https://api.example.com/v2")
        #expect(tracker.headerFields[.accept] == "application/vnd.tracker+json")
        #expect(try tracker.headerFields[#require(HTTPField.Name("X-Version"))] == "2024-01-01")
        #expect(
            tracker.transport
                == TransportSettings()
                .with(\.connectTimeout, .seconds(1))
                .with(\.idleTimeout, .milliseconds(1500))
                .with(\.totalTimeout, .seconds(300))
                .with(\.maxBody, 50 << 20)
                .with(\.redirects, 0)
                .with(\.redirectOrigins, ["https://cdn.example.com", "http://localhost:99"])
                .with(\.concurrency, 8)
                .with(\.allowsPlainHTTP, true))
        #expect(tracker.jsonLimits == JSONLimits(maxRecords: (50 << 20) / 128))
        #expect(tracker.retry.retries == 1)
        #expect(tracker.retry.backoff == Backoff(base: .milliseconds(500), cap: .seconds(7200)))
        #expect(tracker.expiry == .seconds(7 * 86_400))
        #expect(tracker.authorization.secrets.map(\.description) == ["env TOKEN"])
        #expect(config.sources.filter(\.sendsTraceContext).map(\.name) == ["shop"])
        #expect(config.sources[1].headerFields[.accept] == "application/json")
        #expect(config.sources[1].authorization.secrets.map(\.description).last == "file ~/pass")
        #expect(config.sources[2].authorization.secretQueryNames == ["key"])
        #expect(config.sources[2].authorization.secrets.map(\.description) == ["command vault"])
        guard case .apiKeyHeader(let name, _) = config.sources[3].authorization else {
            Issue.record("mail has no API key")
            return
        }
        #expect(name.rawName == "X-API-Key")
    }

    @Test func `a resource has the values of the file`() throws {
        let issues = try #require(try Fixture.parse(FullConfig.text).resources.first)
        #expect(issues.name == "issues")
        #expect(issues.source.name == "tracker")
        #expect(issues.path == "/issues?view=all")
        #expect(issues.method == .post)
        #expect(issues.queryEncoding == QueryEncoding(bools: .asBool, arrays: .noBrackets))
        #expect(issues.records == (try JSONPath(parsing: "$.items[*]")))
        #expect(issues.key == [JSONPath(member: "repo"), try JSONPath(parsing: "$.meta.id")])
        #expect(issues.paging == .cursor(try JSONPath(parsing: "$.next"), parameter: "after"))
        let (more, last) = (try JSONPath(parsing: "$.has_more"), try JSONPath(parsing: "$.is_last"))
        var stop = StopRules(maxPages: 10, hasMore: more, isLast: last)
        (stop.endsOnEmptyPage, stop.trustsEnd) = (true, true)
        #expect(issues.stop == stop)
        #expect(!issues.isConditional)
        #expect(issues.maxAge == .seconds(900))
    }

    @Test func `a query is sent as it is written`() throws {
        let issues = try #require(try Fixture.parse(FullConfig.text).resources.first)
        #expect(
            issues.queryEncoding.encode(issues.query)
                == "big=1_000&flag=true&in%5Ba%5D=b&no=no&per_page=100&ratio=1.5&tags=a&tags=2&version=1.10&zip=012")
        #expect(issues.query["per_page"] == .int(100))
        #expect(issues.query["flag"] == .bool(true))
        #expect(issues.query["none"] == .null)
    }

    @Test func `every way of paging can be declared`() throws {
        let resources = try Fixture.parse(FullConfig.text).resources
        let next = try #require(HTTPField.Name("X-Next"))
        #expect(
            resources.dropFirst().map(\.paging) == [
                .linkHeader, .nextURL(try JSONPath(parsing: "$.links.next")), .headerCursor(next, parameter: "n"),
                .page(.init(parameter: "p", start: 0, sizeParameter: "s", size: 50)),
                .offset(.init(parameter: "o", start: 1, limitParameter: "l", limit: 20)), .none, .automatic,
                .page(
                    .init(
                        parameter: .body(JSONPath(member: "p")),
                        sizeParameter: .body(try JSONPath(parsing: "$.s.n")), size: 50)),
                .lastRecord(JSONPath(member: "sort"), parameter: .body(try JSONPath(parsing: "$.search.after"))),
                .nextHeader(next), .automatic,
            ])
    }

    @Test func `a key is its written name, regardless of YAML 1.1`() throws {
        let resources = try Fixture.parse(FullConfig.text).resources
        #expect(resources[1].key == [JSONPath(member: "no")])
        #expect(resources[2].key == [JSONPath(member: "012")])
        #expect(resources[3].key == [JSONPath(member: "@odata.id")])
    }

    @Test(arguments: [
        ("data/t.db", "siding.yaml", "/srv/app/data/t.db"), ("./t.db", "conf/siding.yaml", "/srv/app/conf/t.db"),
        ("~/t.db", "siding.yaml", "/home/ada/t.db"), ("/var/t.db", "/etc/siding/siding.yaml", "/var/t.db"),
        ("t.db", "/siding.yaml", "/t.db"), ("~t.db", "/etc/siding.yaml", "/etc/~t.db"),
    ])
    func `a database path starts at the file's directory`(_ path: String, _ file: String, _ expected: String) throws {
        let text = ExampleConfig.blog.text.replacing("path: blog.db", with: "path: \(path)")
        let config = try Config.parse(text, file: file, environment: Fixture.environment)
        #expect(config.databasePath == expected)
        #expect(config.file == file)
    }

    @Test func `without a home directory a path below it is a fault`() {
        let text = ExampleConfig.blog.text.replacing("path: blog.db", with: "path: ~/t.db")
        let homeless = ConfigEnvironment(variables: [:], workingDirectory: "/")
        #expect {
            try Config.parse(text, file: "a.yaml", environment: homeless)
        } throws: { error in
            "\(error)"
                == "a.yaml:14:9: 'path' in 'database' begins with ~/, but this user has no home directory; expected an absolute path"
        }
    }

    @Test func `omitted keys have the defaults of the library`() throws {
        let config = try Fixture.parse(
            "version: 1\nsources: { a: { base_url: https://example.com } }\nresources: { b: { path: /b, key: id } }")
        let (source, resource) = (config.sources[0], config.resources[0])
        #expect(config.databasePath == nil)
        #expect(config.synchronous == .full)
        #expect(source.transport == TransportSettings())
        #expect(source.jsonLimits == JSONLimits())
        #expect(source.retry == RetryPolicy())
        #expect(source.expiry == nil)
        #expect(source.headerFields == [.accept: "application/json"])
        #expect(source.authorization.secrets.isEmpty)
        #expect(resource.source.name == "a")
        #expect(resource.paging == .automatic)
        #expect(resource.method == .get)
        #expect(resource.queryEncoding == QueryEncoding())
        #expect(resource.stop == StopRules())
        #expect(resource.isConditional)
        #expect(resource.records == nil)
        #expect(resource.maxAge == nil)
    }

    @Test func `later errors can point at the declarations of the file`() throws {
        let config = try Fixture.parse(FullConfig.text)
        #expect(config.place(ofSource: "shop")?.description == "siding.yaml:20:3")
        #expect(config.place(ofResource: "issues")?.description == "siding.yaml:49:3")
        #expect(config.place(ofResource: "open issues")?.description == "siding.yaml:71:3")
        #expect(config.place(ofResource: "shop") == nil)
    }

    @Test(arguments: ExampleConfig.all)
    func `every example loads without fault`(_ example: ExampleConfig) throws {
        let config = try Fixture.parse(example.text)
        #expect(!config.resources.isEmpty)
        #expect(ExampleConfig.named(example.name) == example)
        #expect(example.text.hasSuffix("\n"))
        #expect(example.text.split(separator: "\n").allSatisfy { $0.count <= 120 })
    }

    @Test(arguments: [
        ("auth:", "  type: bearer", ExampleConfig.github)
    ])
    func `the commented keys of an example load too`(
        _ first: String, _ second: String, _ example: ExampleConfig
    ) throws {
        var lines = example.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let start = try #require(lines.firstIndex { $0.hasSuffix("# \(first)") })
        let indentation = lines[start].prefix { $0 == " " }
        let commented = lines[start...].prefix { $0.hasPrefix("\(indentation)# ") }
        for index in commented.indices {
            lines[index] = String(indentation + lines[index].dropFirst(indentation.count + 2))
        }
        #expect(lines[start + 1].contains(second))
        #expect(Fixture.faults(lines.joined(separator: "\n")) == [])
    }

    @Test(arguments: [
        ("1", 1), ("64KiB", 65_536), ("1GiB", 1 << 30), ("10MB", 10_000_000), ("1KB", 1000), ("7B", 7),
    ])
    func `a size is a number of bytes, with or without a unit`(_ text: String, _ bytes: Int) throws {
        let config = try Fixture.parse(
            "version: 1\nsources: { a: { base_url: https://example.com, http: { max_body: \(text) } } }\nresources: { b: { path: /b, key: id } }"
        )
        #expect(config.sources[0].transport.maxBody == bytes)
        // A page that may be larger may have more values.
        #expect(config.sources[0].jsonLimits.maxValues == max(5_000_000, bytes / 16))
    }

    @Test(
        arguments: [
            ("500ms", .milliseconds(500)), ("30s", .seconds(30)), ("1.5s", .milliseconds(1500)),
            ("0.25h", .seconds(900)),
            ("15m", .seconds(900)), ("2h", .seconds(7200)), ("3650d", .seconds(315_360_000)),
        ] as [(String, Duration)])
    func `a duration is a number and a unit`(_ text: String, _ duration: Duration) throws {
        let config = try Fixture.parse(
            "version: 1\nsources: { a: { base_url: https://example.com } }\nresources: { b: { path: /b, key: id, max_age: \(text) } }"
        )
        #expect(config.resources[0].maxAge == duration)
    }

    @Test(arguments: [
        "", "s", "30", "-5s", "1e3s", "5S", "5 s", ".5s", "5.s", "1.2.3s", "99999999999999999999d", "0ms",
        "٣s", "5mi",
    ])
    func `text that is not a duration is refused`(_ text: String) {
        let faults = Fixture.faults(
            "version: 1\nsources: { a: { base_url: https://example.com } }\nresources: { b: { path: /b, key: id, max_age: '\(text)' } }"
        )
        #expect(faults.count == 1)
        #expect(faults.first?.contains("expected a duration such as 500ms, 30s, 15m, 2h or 7d") == true)
    }

    @Test(arguments: ["0", "MiB", "1.5MiB", "-1", "17GiB", "9999999999999999999GiB", "1TB", "0x10", "10_000"])
    func `text that is not a size is refused`(_ text: String) {
        let faults = Fixture.faults(
            "version: 1\nsources: { a: { base_url: https://example.com, http: { max_body: \(text) } } }\nresources: { b: { path: /b, key: id } }"
        )
        #expect(faults.count == 1)
        #expect(faults.first?.contains("expected a size such as 64KiB, 50MiB or 1GiB") == true)
    }
}

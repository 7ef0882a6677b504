// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingOrigin
import Testing

@testable import SidingCLI

/// `siding init URL`: a config from the first page, or nothing.
@Suite(.serialized)
struct InitFromURLTests {
    private func config(of sandbox: Sandbox) throws -> String {
        try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
    }

    @Test(arguments: [
        (#"[{"id":1},{"id":2}]"#, "", "key: id "),
        (#"{"items":[{"id":1},{"id":2}]}"#, #"records: "$.items[*]" "#, "key: id "),
        (
            #"{"data":{"repository":{"issues":{"nodes":[{"id":"a"}]}}}}"#,
            #"records: "$.data.repository.issues.nodes[*]" "#, "key: id "
        ),
        (
            #"{"included":[{"id":7},{"id":8},{"id":9}],"data":[{"id":"1","type":"post"}],"links":[{"rel":"self"}]}"#,
            #"records: "$.data[*]" "#, "key: id "
        ),
        (
            #"{"facets":[{"n":1},{"n":2}],"hits":{"hits":[{"_id":"a"}]}}"#, #"records: "$.hits.hits[*]" "#,
            "key: _id "
        ),
        (#"{"tags":[{"id":1},{"id":2}],"posts":[{"id":3}]}"#, #"records: "$.posts[*]" "#, "key: id "),
        (#"{"my list":[{"ID":3}]}"#, #"records: "$.\"my list\"[*]" "#, "key: ID "),
        (#"{"edges":[{"cursor":"x","node":{"id":"a"}}]}"#, #"records: "$.edges[*]" "#, "key: $.node.id "),
        (#"[{"id":1,"slug":"a"},{"id":1,"slug":"b"}]"#, "", "key: slug "),
        (#"[{"id":null,"post_id":5,"number":1}]"#, "", "key: post_id "),
        (#"[{"at":"2024-05-01T00:00:00Z","price":1.5,"on":"x"}]"#, "", #"key: "on" "#),
        (#"[{"kind":"a","uuid":"u1"},{"kind":"a","uuid":"u2"}]"#, "", "key: uuid "),
        (#"[{"":1,"title":"a"},{"":2,"title":"b"}]"#, "", "key: title "),
    ])
    func `the records and the key are found where they are`(_ body: String, _ records: String, _ key: String)
        async throws
    {
        let origin = try await Origin.start { _ in .json(body) }
        let sandbox = try Sandbox()
        let made = try await sandbox.siding("init", "\(origin.url.origin)/posts")
        #expect(made.status == 0, "\(made.everything)")
        let config = try config(of: sandbox)
        #expect(records.isEmpty ? !config.contains("records: ") : config.contains("\n    \(records)"), "\(config)")
        #expect(config.contains("\n    \(key)"), "\(config)")
        #expect(try await sandbox.siding("check").everything == "")
        #expect(try await sandbox.siding("sync").status == 0)
        await origin.stop()
    }

    @Test func `lines of JSON are records, too`() async throws {
        let origin = try await Origin.start { _ in
            OriginResponse(
                headerFields: [.contentType: "application/x-ndjson"], body: Array("{\"id\":1}\n{\"id\":2}\n".utf8))
        }
        let sandbox = try Sandbox()
        #expect(try await sandbox.siding("init", "\(origin.url.origin)/events.ndjson").status == 0)
        #expect(try config(of: sandbox).contains("\n    records: lines "))
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.count("events") == 2)
        await origin.stop()
    }

    @Test func `init reports its findings as text and as one object`() async throws {
        let service = try await Service.start(items: 7, pageSize: 5)
        let sandbox = try Sandbox()
        let made = try await sandbox.siding("init", "\(service.url)/items")
        #expect(
            made.error == """
                items: 5 records
                    key: $.id, different in all 5 records
                    paginate: link_header
                        the header field Link names the next page
                wrote siding.yaml; next: 'siding plan --fetch', 'siding sync'

                """)
        #expect(made.output == "")
        let mode = try FileManager.default.attributesOfItem(atPath: sandbox.file("siding.yaml"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let object = try await sandbox.siding("init", "\(service.url)/items", "-c", "other.yaml", "--json").object()
        #expect(object["path"] == .string("other.yaml") && object["resource"] == .string("items"))
        #expect(object["count"]?.int == 5 && object["key"] == .string("$.id"))
        #expect(object["paginate"] == .string("link_header"))
        #expect(object["evidence"] == .string("the header field Link names the next page"))
        await service.origin.stop()
    }

    @Test(arguments: [
        (200, "<html>", 65, "the page is not JSON: "), (200, #"[{"id":1},"#, 65, "the page is not JSON: "),
        (200, "[]", 65, "no array in it has objects"), (200, #"{"id":1}"#, 65, "no array in it has objects"),
        (200, "[1,2]", 65, "no array in it has objects"),
        (200, #"[{"a":1},{"a":1}]"#, 65, "no member of its 2 records is"), (204, "", 65, "the page is not JSON: "),
        (200, #"[{"":1},{"":2}]"#, 65, "no member of its 2 records is"),
        (200, #"[{"a\nb":1}]"#, 65, "'key' in resource 'posts' holds a line break"),
        (200, #"{"a\nb":[{"id":1}]}"#, 65, "'records' in resource 'posts' holds a line break"),
        (404, "{}", 69, "404"), (403, "{}", 75, "403"), (503, "{}", 75, "503"), (429, "{}", 75, "429"),
    ])
    func `an answer that shows no config is refused with its reason, and nothing is written`(
        _ status: Int, _ body: String, _ code: Int32, _ words: String
    ) async throws {
        let origin = try await Origin.start { _ in
            .json(body, status: HTTPResponse.Status(code: status), headerFields: [.retryAfter: "3600"])
        }
        let sandbox = try Sandbox()
        let made = try await sandbox.siding("init", "\(origin.url.origin)/posts")
        #expect(made.status == code, "\(made.everything)")
        #expect(made.error.contains(words) && made.error.contains("\(origin.url.origin)/posts"), "\(made.error)")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.path) == [])
        let object = try await sandbox.siding("init", "\(origin.url.origin)/posts", "--json")
        #expect(object.status == code)
        #expect(try object.object()["error"]?["code"]?.int == Int(code))
        await origin.stop()
    }

    @Test func `without a connection it exits 75 and writes nothing`() async throws {
        let origin = try await Origin.start { _ in .json("[]") }
        let url = origin.url.origin
        await origin.stop()
        let sandbox = try Sandbox()
        let made = try await sandbox.siding("init", "\(url)/posts")
        #expect(made.status == 75)
        #expect(made.error.contains("connection refused") && made.error.contains("nothing was written"))
        #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.path) == [])
    }

    @Test(arguments: [OriginFault.cutBody(chunked: false), .brokenGzip])
    func `a failure that a sync would queue exits 75 and writes nothing`(_ fault: OriginFault) async throws {
        let origin = try await Origin.start { _ in
            var response = OriginResponse.json(#"[{"id":1},{"id":2}]"#)
            response.fault = fault
            return response
        }
        let sandbox = try Sandbox()
        let made = try await sandbox.siding("init", "\(origin.url.origin)/posts")
        #expect(made.status == 75, "\(made.everything)")
        #expect(made.error.contains("nothing was written; try again later"), "\(made.error)")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.path) == [])
        await origin.stop()
    }

    @Test func `an unknown host exits 75 and writes nothing`() async throws {
        let sandbox = try Sandbox()
        // No resolver is asked for a name with an empty label.
        let made = try await sandbox.siding("init", "https://no..host/posts")
        #expect(made.status == 75, "\(made.everything)")
        #expect(made.error.contains("nothing was written; "), "\(made.error)")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.path) == [])
    }

    @Test func `with --config, the next commands and those in the file name it`() async throws {
        let service = try await Service.start(items: 3)
        let sandbox = try Sandbox()
        let made = try await sandbox.siding("init", "\(service.url)/items", "-c", "two configs.yaml")
        #expect(
            made.error.contains(
                "next: 'siding plan --fetch -c 'two configs.yaml'', 'siding sync -c 'two configs.yaml''"),
            "\(made.error)")
        let config = try String(contentsOfFile: sandbox.file("two configs.yaml"), encoding: .utf8)
        #expect(config.contains("#   siding sync -c 'two configs.yaml' "), "\(config)")
        let example = try await sandbox.siding("init", "-c", "two.yaml")
        #expect(
            example.error.contains(
                "next: 'siding check -c two.yaml', 'siding plan -c two.yaml', 'siding sync -c two.yaml'"))
        await service.origin.stop()
    }

    @Test func `the line for deletions is a comment that says what happens without it, and is valid`() async throws {
        let service = try await Service.start(items: 3)
        let sandbox = try Sandbox()
        #expect(try await sandbox.siding("init", "\(service.url)/items").status == 0)
        let config = try config(of: sandbox)
        let line =
            "    # deletes: { detect: complete_listing }    # without it, records that are deleted at the origin stay here\n"
        #expect(config.contains(line), "\(config)")
        try sandbox.config(config.replacing("# deletes:", with: "deletes:"))
        #expect(try await sandbox.siding("check").status == 0)
        #expect(try await sandbox.siding("sync").status == 0)
        await service.origin.stop()
    }

    @Test func `editors find the schema where it is installed beside the executable`() throws {
        let sandbox = try Sandbox()
        let executable = sandbox.file("bin/siding")
        #expect(SchemaFile.comment(ofExecutable: executable) == "")
        try sandbox.write("{}", to: "share/siding/siding.schema.json")
        #expect(
            SchemaFile.comment(ofExecutable: executable)
                == "# yaml-language-server: $schema=\(sandbox.file("share/siding/siding.schema.json"))\n")
        try sandbox.write("{}", to: "a b/share/siding/siding.schema.json")
        #expect(SchemaFile.comment(ofExecutable: sandbox.file("a b/bin/siding")) == "")
    }

    @Test func `a file that is there stays, and nothing is requested, unless --force is given`() async throws {
        let service = try await Service.start(items: 3)
        let sandbox = try Sandbox()
        try sandbox.config("mine")
        let refused = try await sandbox.siding("init", "\(service.url)/items")
        #expect(refused.status == 64 && refused.error.contains("--force") && refused.error.contains("init --add"))
        #expect(try config(of: sandbox) == "mine" && service.targets == [])
        #expect(try await sandbox.siding("init", "\(service.url)/items", "--force").status == 0)
        #expect(try config(of: sandbox).contains("path: /items"))
        await service.origin.stop()
    }

    @Test(arguments: [
        "api.example.com/posts", "ftp://example.com/posts", "https://", "https://ada:hush-hush@example.com/posts",
        "http://127.0.0.1:9/posts?api_key=hush-hush", "http://127.0.0.1:9/posts?access_token=hush-hush",
    ])
    func `text that is not a URL of a list, or has a credential in it, is refused before anything is requested`(
        _ url: String
    )
        async throws
    {
        let sandbox = try Sandbox()
        let made = try await sandbox.siding("init", url)
        #expect(made.status == 64, "\(made.everything)")
        #expect(!made.everything.contains("hush-hush"), "\(made.everything)")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.path) == [])
        #expect(try await sandbox.siding("init", url, "--example", "blog").status == 64)
    }

    @Test(arguments: [
        "key", "Key", "%6Bey", "api-key", "apiKey", "appid", "app_id", "sig", "signature", "jwt", "auth", "session",
        "session_id", "code", "token", "accessToken", "client_secret", "pwd", "X-Amz-Signature",
    ])
    func
        `a parameter that may be a credential is refused with its name and the place for it, and its value is shown nowhere`(
            _ parameter: String
        ) async throws
    {
        let sandbox = try Sandbox()
        let name = HTTPURL.decode(parameter)
        let made = try await sandbox.siding("init", "http://127.0.0.1:9/posts?state=open&\(parameter)=hush-hush")
        #expect(made.status == 64, "\(made.everything)")
        #expect(
            made.error.contains("posts?state=open&\(parameter)=…: the query parameter '\(name)' may be a credential"))
        #expect(made.error.contains("auth: { type: api_key, in: query, name: \(name), key: { env: NAME } }"))
        #expect(!made.everything.contains("hush-hush"), "\(made.everything)")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.path) == [])
    }

    @Test func `neither - nor a link that leads nowhere becomes a file`() async throws {
        let sandbox = try Sandbox()
        for arguments in [["init"], ["init", "--force"], ["init", "http://127.0.0.1:9/posts"]] {
            let made = try await sandbox.siding(arguments + ["-c", "-"])
            #expect(made.status == 64 && made.error.contains("'-' is not a file name"), "\(made.everything)")
        }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.path) == [])
        let link = sandbox.file("siding.yaml")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real.yaml")
        #expect(try await sandbox.siding("init").status == 64)
        let forced = try await sandbox.siding("init", "--force")
        #expect(forced.status == 74 && forced.error.contains("symbolic link to a file that does not exist"))
        #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.path) == ["siding.yaml"])
        try sandbox.write("mine", to: "real.yaml")
        #expect(try await sandbox.siding("init", "--force").status == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "real.yaml")
        #expect(try String(contentsOfFile: sandbox.file("real.yaml"), encoding: .utf8).contains("version: 1"))
    }

    @Test(arguments: [
        ("https://api.github.com/repos/a/b/issues?state=all", "github", "issues"),
        ("https://jsonplaceholder.typicode.com/posts", "jsonplaceholder", "posts"),
        ("https://www.example.co.uk/api/v2/", "example", "api"),
        ("http://127.0.0.1:8080/lists/42", "origin", "lists"),
        ("http://localhost:9/a/my%20items.json", "localhost", "my_items"),
        ("https://1.1.1.1/", "origin", "records"),
        ("http://tracker.lan/sqlite_x", "tracker", "records"),
        ("http+unix://%2Frun%2Fa.sock/v1/no", "origin", "no"),
        ("https://example.com/it's?a=b&c=[d]", "example", "it_s"),
    ])
    func `the resource is named after the path, the source after the host`(
        _ url: String, _ source: String, _ name: String
    ) throws {
        let draft = ConfigDraft(try HTTPURL(url))
        let resource = try draft.resource(file: "siding.yaml")
        #expect(resource.name == name && resource.source.name == source)
        let asked = try resource.source.baseURL.appending(path: resource.path)
        #expect(asked == draft.url)
    }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingOrigin
import Testing

/// A value has the same type whichever command prints it, and whether or not its column is declared.
@Suite(.serialized)
struct TypeTests {
    private static let bodies = [
        #"{"id":1,"yes":true,"n":7,"t":"[1]","o":{"a":[1,2.0],"b":null},"l":[1,"x"],"z":null,"m":"9.50","d":"2024-01-31T23:30:00+02:00","p":[{"on":true,"o":{"x":1}}]}"#,
        #"{"id":2,"yes":false,"n":0,"t":"true","o":{},"l":[],"z":null,"m":"10.00","d":"2024-02-01","p":[]}"#,
        #"{"id":3,"yes":null,"n":1,"t":"{\"a\":1}","o":null,"l":null,"z":null,"m":100.10,"d":"soon","p":[{"on":false,"o":null}]}"#,
        #"{"id":4,"yes":true,"n":-1,"t":"say \"hi\", you","o":{"é":"漢"},"l":[[]],"z":null,"m":"-12345678901234567890.125","d":null,"p":null}"#,
    ]

    private static let declared = """
        columns: { id: integer, yes: boolean, n: integer, t: text, o: json, l: json, z: text, m: decimal, d: date }
        """

    /// The same records twice: `plain` without columns, `typed` with a type for each.
    private func sandbox() async throws -> Sandbox {
        let records = Dataset(Self.bodies.enumerated().map { .init(key: String($0.offset + 1), json: $0.element) })
        let service = try await Service.start(items: 1, routes: [RecordListing("/all", of: records)])
        let children = "children: { parts: { path: \"$.p[*]\" } }"
        let sandbox = try Sandbox.with(
            service,
            more: """
                  plain: { path: /all, key: id, \(children) }
                  typed: { path: /all, key: id, \(children), \(Self.declared) }
                """)
        #expect(try await sandbox.siding("sync").status == 0)
        await service.origin.stop()
        return sandbox
    }

    private static let shared = "id,yes,n,t,o,l,z"

    @Test(arguments: [
        ("plain", shared), ("typed", shared + ",m,d"), ("plain_parts", "on,o"), ("typed_parts", "on,o"),
    ])
    func `queries and exports print the same, in each format`(_ resource: String, _ columns: String) async throws {
        let sandbox = try await sandbox()
        let order = resource.hasSuffix("_parts") ? "siding_parent" : "id"
        let names = columns.split(separator: ",").map { "\"\($0)\"" }.joined(separator: ",")
        for format in ["jsonl", "json", "csv", "tsv"] {
            let exported = try await sandbox.siding("export", resource, "--columns", columns, "--format", format)
            for statement in [
                "SELECT \(names) FROM \(resource) ORDER BY \(order)",
                "WITH x AS (SELECT *, \(order) AS place FROM \(resource)) SELECT \(names) FROM x ORDER BY place",
                "SELECT \(names) FROM (SELECT * FROM \(resource) ORDER BY \(order) LIMIT 9)",
            ] {
                let queried = try await sandbox.siding("query", statement, "--format", format)
                #expect(queried.output == exported.output, "\(format): \(statement) \(queried.error)")
                #expect(exported.status == 0 && queried.status == 0)
            }
        }
    }

    @Test(arguments: ["plain", "typed"])
    func `each member is shown as the record has it`(_ resource: String) async throws {
        let sandbox = try await sandbox()
        let rows = try await sandbox.siding(
            "query", "SELECT \(Self.shared) FROM \(resource) ORDER BY id", "--json"
        ).objects()
        let exported = try await sandbox.siding("export", resource).objects()
        let listed = try await sandbox.siding("records", "list", resource, "--json").objects()
        #expect(rows.count == Self.bodies.count && exported.count == rows.count && listed.count == rows.count)
        for (index, row) in rows.enumerated() {
            let record = try await sandbox.siding("records", "get", resource, String(index + 1)).object()
            for (name, value) in row {
                #expect(value == record[name], "\(name) of \(index + 1)")
                #expect(value == exported[index][name], "\(name) of \(index + 1)")
                #expect(value == listed[index]["body"]?[name], "\(name) of \(index + 1)")
            }
        }
    }

    @Test func `a boolean has one form in CSV, declared or not`() async throws {
        let sandbox = try await sandbox()
        for resource in ["plain", "typed"] {
            let exported = try await sandbox.siding("export", resource, "--columns", "yes", "--format", "csv")
            #expect(exported.output == "yes\ntrue\nfalse\n\"\"\ntrue\n", "\(resource)")
            let queried = try await sandbox.siding("query", "SELECT yes FROM \(resource) ORDER BY id")
            #expect(queried.output == "yes\ntrue\nfalse\n\ntrue\n", "\(resource)")
        }
    }

    @Test func `computed values are shown as SQL has them`() async throws {
        let sandbox = try await sandbox()
        let row = try await sandbox.siding(
            "query", "SELECT count(*) AS yes, max(yes) AS top, yes + 0 AS sum, '[1]' AS l FROM typed WHERE yes",
            "--json")
        #expect(row.output == #"{"yes":2,"top":1,"sum":1,"l":"[1]"}"# + "\n")
        let both = try await sandbox.siding(
            "query", "SELECT yes AS v FROM typed WHERE id = 1 UNION ALL SELECT n FROM typed WHERE id = 3", "--json")
        #expect(both.output == "{\"v\":1}\n{\"v\":1}\n")
        let elsewhere = try await sandbox.siding(
            "query", "SELECT p.yes, t.n AS yes_2 FROM plain p JOIN typed t USING (id) WHERE id = 3", "--json")
        #expect(elsewhere.output == #"{"yes":null,"yes_2":1}"# + "\n")
    }

    @Test func `a member that is a boolean here and a number there stays as SQL has it`() async throws {
        let records = Dataset([.init(key: "1", json: #"{"id":1,"v":1}"#), .init(key: "2", json: #"{"id":2,"v":true}"#)])
        let service = try await Service.start(items: 0, routes: [RecordListing("/all", of: records)])
        let sandbox = try Sandbox.with(service, more: "  plain: { path: /all, key: id }")
        #expect(try await sandbox.siding("sync", "plain").status == 0)
        let rows = try await sandbox.siding("query", "SELECT v FROM plain ORDER BY id", "--json")
        #expect(rows.output == "{\"v\":1}\n{\"v\":1}\n")
        await service.origin.stop()
    }

    @Test func `a decimal keeps its digits, and sorts, sums and compares as a number`() async throws {
        let sandbox = try await sandbox()
        let sorted = try await sandbox.siding("query", "SELECT m FROM typed ORDER BY m", "--json")
        #expect(
            sorted.output == """
                {"m":-12345678901234567890.125}
                {"m":9.50}
                {"m":10.00}
                {"m":100.10}

                """)
        let table = try await sandbox.siding("query", "SELECT m FROM typed WHERE m > 9.5 ORDER BY m DESC")
        #expect(table.output == "m\n100.10\n10.00\n")
        let sum = try await sandbox.siding("query", "SELECT sum(m) AS sum FROM typed WHERE m > 0", "--json").object()
        #expect(sum["sum"] == .number(119.6))
        let csv = try await sandbox.siding("export", "typed", "--columns", "m", "--format", "csv")
        #expect(csv.output == "m\n9.50\n10.00\n100.10\n-12345678901234567890.125\n")
        // Other programs see a number.
        let shell = try await sandbox.sqlite(sandbox.file("test.db"), "SELECT m FROM typed WHERE m > 9 ORDER BY m")
        #expect(shell.output == "9.5\n10.0\n100.1\n")
    }

    @Test func `a date is the day that it is where it was written`() async throws {
        let sandbox = try await sandbox()
        let rows = try await sandbox.siding("query", "SELECT d FROM typed ORDER BY id")
        #expect(rows.output == "d\n2024-01-31\n2024-02-01\nsoon\n\n")
        let shell = try await sandbox.sqlite(
            sandbox.file("test.db"), "SELECT count(*) FROM typed WHERE d BETWEEN '2024-01-01' AND '2024-01-31'")
        #expect(shell.output == "1\n")
    }
}

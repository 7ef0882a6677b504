// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingCredentials
import SidingHub
import SidingTesting
import Testing

@testable import SidingManifest

@Suite struct PublishGrammarTests {
    /// A file with `target` in line 5, from column 10 on.
    private static func file(_ target: String, named name: String = "fleet", more: String = "") -> String {
        """
        version: 1
        sources: { a: { base_url: https://example.com/v1 } }
        resources: { issues: { path: /issues, key: id }, readings: { path: /readings, key: id }\(more) }
        publish:
          \(name): \(target)
        """
    }

    /// One more resource of a file.
    private static func resource(_ name: String) -> String { ", \(name): { path: /x, key: id }" }

    @Test func `targets are read in their order, with all that the file says`() throws {
        let config = try Fixture.parse(FullConfig.text)
        #expect(config.targets.map(\.name) == ["fleet", "archive"])
        #expect(config.targets.map(\.address) == ["postgresql://siding@hub.example.com/fleet", "service=archive"])
        let fleet = config.targets[0]
        #expect(fleet.password?.description == "file hub.password")
        #expect(fleet.station == "van-17")
        #expect(fleet.resources == ["issues", "f", "open issues"])
        #expect(fleet.schema == "vans")
        #expect(config.targets[1].resources == config.resources.map(\.name))
        #expect(config.targets.map(\.every) == [.seconds(60), .seconds(300)])
    }

    @Test func `a target needs its address alone, and the station is then this machine`() throws {
        var environment = Fixture.environment
        environment.machine = "kiosk-3"
        let text = Self.file("{ to: service=fleet }")
        let config = try Config.parse(text, file: "siding.yaml", environment: environment)
        let target = try #require(config.targets.first)
        #expect(target.name == "fleet")
        #expect(target.address == "service=fleet")
        #expect(target.password?.description == nil)
        #expect(target.station == "kiosk-3")
        #expect(target.resources == ["issues", "readings"])
        #expect(target.schema == "siding")
    }

    @Test func `a file without the section has no targets`() async throws {
        let text = Self.file("").split(separator: "\n").prefix(3).joined(separator: "\n")
        let config = try Fixture.parse(text)
        #expect(config.targets.isEmpty)
        #expect(await config.targetFaults() == [])
    }

    @Test func `a station has up to 200 characters, of any language`() throws {
        let name = String(repeating: "ü", count: 200)
        let config = try Fixture.parse(Self.file("{ to: service=fleet, station: \(name) }"))
        #expect(config.targets.map(\.station) == [name])
        let faults = Fixture.faults(Self.file("{ to: service=fleet, station: \(name)x }"))
        #expect(
            faults == [
                "siding.yaml:5:40: 'station' in target 'fleet' is longer than 200 characters; expected a name such as van-17, "
                    + "at most 200 characters"
            ])
    }

    @Test(arguments: [
        "postgresql://siding@hub.example.com:5433/fleet", "postgresql://hub.example.com/fleet?application_name=a@b",
        "postgres://siding@[fd00::7]:5432/fleet", "postgresql:///fleet?host=/run/postgresql", "service=fleet",
        "host=hub.example.com dbname=fleet user=siding passfile=/etc/siding/pgpass", " host = hub",
    ])
    func `an address is a URI, a connection string or a service`(_ address: String) throws {
        let config = try Fixture.parse(Self.file(#"{ to: "\#(address)" }"#))
        #expect(config.targets.map(\.address) == [address])
    }

    @Test(arguments: [
        "postgresql://siding:canary@hub.example.com/fleet", "postgres://siding:canary@[fd00::7]/fleet",
        "postgresql://siding:canary/1@hub.example.com/fleet", "postgresql://siding:a?canary@hub.example.com/fleet",
        "postgresql://hub.example.com/fleet?user=siding&password=canary", "mysql://siding:canary@hub.example.com/fleet",
        "host=hub.example.com password=canary", "host=hub.example.com PASSWORD = 'canary'",
        "user='siding'password=canary",
    ])
    func `an address with a password is refused without being shown`(_ address: String) {
        let faults = Fixture.faults(Self.file(#"{ to: "\#(address)" }"#))
        #expect(
            faults == [
                "siding.yaml:5:16: 'to' in target 'fleet' carries a password, a secret that this file never holds; "
                    + "expected password: { file: PATH }"
            ])
    }

    @Test(
        arguments: [
            (
                "service=fleet", 10,
                "target 'fleet' is text; expected a map with to, password, station, resources, every, schema"
            ),
            ("{ station: van-17 }", 3, "target 'fleet' has no 'to'; expected postgresql://USER@HOST/DATABASE, "),
            ("{ to: service=fleet, table: x }", 31, "unknown key 'table' in target 'fleet'"),
            (
                "{ to: hub.example.com/canary }", 16,
                "is not the address of a PostgreSQL database; expected postgresql://"
            ),
            ("{ to: 'https://hub.example.com/canary' }", 16, "is not the address of a PostgreSQL database"),
            ("{ to: host=hub sslpassword=canary }", 16, "carries the password of a key"),
            ("{ to: service=fleet, password: canary }", 41, "'password' in target 'fleet' is a literal"),
            (#"{ to: service=fleet, station: "a\x85b" }"#, 40, "holds a line break or another control character"),
            ("{ to: service=fleet, resources: issues }", 42, "is text; expected a list of resources such as"),
            ("{ to: service=fleet, resources: [] }", 42, "'resources' in target 'fleet' is an empty list"),
            (
                "{ to: service=fleet, resources: [readings, isues] }", 53,
                "item 2 of 'resources' in target 'fleet' is 'isues', which is not a resource of this file; expected one of "
                    + "issues, readings; did you mean 'issues'?"
            ),
            (
                "{ to: service=fleet, schema: my-schema }", 39,
                "'schema' in target 'fleet' is 'my-schema'; expected a name"
            ),
            (
                "{ to: service=fleet, schema: pg_fleet }", 39,
                "'schema' in target 'fleet' is 'pg_fleet'; expected a name"
            ),
            (
                "{ to: service=fleet, schema: \(String(repeating: "s", count: 64)) }", 39,
                "expected a name of letters, digits and _, at most 63, that does not begin with pg_"
            ),
        ] as [(String, Int, String)])
    func `a target that cannot be is a fault in its place`(_ target: String, _ column: Int, _ words: String) {
        let faults = Fixture.faults(Self.file(target))
        #expect(faults.count == 1 && faults[0].contains(words), "\(faults)")
        #expect(faults.allSatisfy { $0.hasPrefix("siding.yaml:5:\(column): ") }, "\(faults)")
        #expect(!faults.joined().contains("canary"))
    }

    @Test func `a target has a name that commands can use`() {
        let faults = Fixture.faults(Self.file("{ to: service=fleet }", named: "Fleet"))
        #expect(
            faults == [
                "siding.yaml:5:3: the name of target 'Fleet' cannot be used in commands; expected a lower case letter, then "
                    + "lower case letters, digits, _ or -; did you mean 'fleet'?"
            ])
        let text = Self.file("").split(separator: "\n").prefix(3).joined(separator: "\n")
        let empty = Fixture.faults(text + "\npublish: {}")
        #expect(empty == ["siding.yaml:4:10: 'publish' is empty; expected a map of one or more targets"])
    }

    @Test(
        arguments: [
            ("[readings, issues]", ["issues", "readings"]), ("[readings]", ["readings"]),
            ("[issues, issues]", ["issues"]),
        ] as [(String, [String])])
    func `resources are in the order of the config, whatever the order of the list`(
        _ list: String, _ resources: [String]
    ) throws {
        let config = try Fixture.parse(Self.file("{ to: service=fleet, resources: \(list) }"))
        #expect(config.targets.map(\.resources) == [resources])
    }

    @Test func `a file without resources has nothing to publish`() {
        let faults = Fixture.faults(
            """
            version: 1
            sources: { a: { base_url: https://example.com/v1 } }
            writes: { issues: { create: { path: /issues } } }
            publish:
              fleet: { to: service=fleet }
            """)
        #expect(
            faults == [
                "siding.yaml:5:3: target 'fleet' publishes nothing: the file has no resources; expected one or more resources"
            ])
    }

    /// The second name has fewer characters than bytes.
    @Test(arguments: [String(repeating: "r", count: 59), String(repeating: "ü", count: 30)])
    func `a name too long for a view in PostgreSQL is a fault where it is published`(_ name: String) {
        let words =
            "the name of resource '\(name)' is too long for target 'fleet': a name in PostgreSQL has at most 63 bytes, and its "
            + "view there is NAME_live; expected a name of at most 58 bytes, or 'resources' without it"
        func faults(_ target: String) -> [String] {
            Fixture.faults(Self.file(target, more: Self.resource(name)))
        }
        #expect(faults("{ to: service=fleet }") == ["siding.yaml:5:3: \(words)"])
        #expect(faults("{ to: service=fleet, resources: [issues, \(name)] }") == ["siding.yaml:5:51: \(words)"])
        #expect(faults("{ to: service=fleet, resources: [issues] }") == [])
        let longest = Self.resource(String(repeating: "r", count: 58))
        #expect(Fixture.faults(Self.file("{ to: service=fleet }", more: longest)) == [])
    }

    @Test(arguments: [
        ("{ file: hub.password }", "file hub.password", "from file"), ("{ env: HUB }", "env HUB", "from env"),
        ("{ command: [echo, from command] }", "command echo", "from command"),
    ])
    func `the password comes from a file, a variable or a program`(
        _ reference: String, _ description: String, _ value: String
    ) async throws {
        let directory = try TemporaryDirectory()
        try directory.write("from file\n", to: "hub.password")
        let environment = ConfigEnvironment(
            variables: ["PATH": "/usr/bin:/bin", "HUB": "from env"], workingDirectory: directory.path)
        let text = Self.file("{ to: service=fleet, password: \(reference) }")
        let config = try Config.parse(text, file: "siding.yaml", environment: environment)
        let password = try #require(config.targets.first?.password)
        #expect(password.description == description)
        #expect(try await password.read() == value)
        #expect(await config.targetFaults() == [])
    }

    @Test func `check finds the missing passwords of targets, and no sync fails for them`() async throws {
        let config = try Fixture.parse(
            Self.file(
                "{ to: service=fleet, password: { file: hub.password } }\n  archive: { to: service=old, password: { env: NONE } }"
            ))
        #expect(await config.secretFaults() == [])
        #expect(await config.hookFaults() == [])
        #expect(
            await config.targetFaults().map(\.description) == [
                "siding.yaml:5:41: the secret file hub.password cannot be read: the file does not exist",
                "siding.yaml:6:41: the secret env NONE cannot be read: the environment variable NONE is not set",
            ])
        #expect(config.secretFiles == ["/srv/app/hub.password"])
        #expect(config.place(ofTarget: "archive")?.description == "siding.yaml:6:3")
        #expect(config.place(ofTarget: "issues") == nil)
    }
}

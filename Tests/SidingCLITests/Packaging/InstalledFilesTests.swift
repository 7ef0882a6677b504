// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Testing

@testable import SidingCLI

/// Units, manual pages and the page that explains them.
@Suite struct InstalledFilesTests {
    @Test func `each unit starts a command of siding, and takes "queued" for no failure`() throws {
        let services = try PackagedFiles.units().filter { $0.key.hasSuffix(".service") }
        #expect(services.count == 4)
        for (name, unit) in services {
            let lines = unit.split(separator: "\n")
            let start = try #require(lines.first { $0.hasPrefix("ExecStart=/usr/local/bin/siding ") }, "\(name)")
            let arguments = start.split(separator: " ").dropFirst().map {
                String($0.replacing("%i", with: "1").replacing("${SHARDS}", with: "4"))
            }
            #expect(throws: Never.self, "\(name)") { try SidingCommand.parseAsRoot(arguments) }
            // The service itself never ends with it.
            guard arguments.first != "serve" else { continue }
            let success = try #require(lines.first { $0.hasPrefix("SuccessExitStatus=") }, "\(name)")
            #expect(success.contains(String(ExitStatus.queued.rawValue)), "\(name)")
        }
    }

    @Test func `each drop-in in the documents replaces the command of a unit by one that siding takes`() throws {
        var count = 0
        for (path, page) in try DocumentPages.all() {
            for block in page.matches(of: /(?ms)^```ini\n(.*?)^```$/) {
                let lines = block.1.replacing("\\\n", with: "").split(separator: "\n").filter {
                    $0.hasPrefix("ExecStart=")
                }
                guard !lines.isEmpty else { continue }
                count += 1
                #expect(lines.count == 2 && lines[0] == "ExecStart=", "\(path)")
                let words = lines[1].split(separator: " ").map(String.init)
                #expect(words[0] == "ExecStart=/usr/local/bin/siding", "\(path)")
                #expect(throws: Never.self, "\(path)") { try SidingCommand.parseAsRoot(Array(words.dropFirst())) }
                // systemd has comments on lines of their own only.
                #expect(!block.1.contains(/(?m)^[^#\n]+#/), "\(path)")
            }
        }
        #expect(count >= 2)
    }

    @Test func `the service has the directory of the socket that the page shows`() throws {
        let unit = try #require(PackagedFiles.units()["siding.service"])
        let directory = try #require(unit.firstMatch(of: /(?m)^RuntimeDirectory=(.*)$/)).1
        #expect(try PackagedFiles.text("Docs/Service.md").contains("--listen unix:/run/\(directory)/"))
    }

    @Test func `the services of one config share user, state and restrictions`() throws {
        // In siding.service, for /etc/siding/siding.yaml, is the name that the others are given.
        let restrictions = try PackagedFiles.units().filter { $0.key.hasSuffix(".service") }.values.map { unit in
            unit.replacing("siding-siding", with: "siding-%i").replacing("siding/siding", with: "siding/%i")
                .split(separator: "\n").drop { !$0.hasPrefix("DynamicUser=") }.prefix { !$0.hasPrefix("[") }
        }
        #expect(Set(restrictions.map(Array.init)).count == 1)
        #expect(restrictions.allSatisfy { $0.contains("User=siding-%i") && $0.contains("StateDirectory=siding/%i") })
    }

    @Test func `the StatefulSet gives each pod a shard that siding takes, and a config without faults`() async throws {
        let text = try PackagedFiles.text("Examples/Kubernetes/statefulset.yaml")
        let replicas = try #require(text.firstMatch(of: /\n  replicas: (\d+)\n/)).1
        let start = try #require(text.firstMatch(of: /\n  ordinals: { start: (\d+) }\n/)).1
        let shard = try #require(text.firstMatch(of: /name: SIDING_SHARD, value: \$\(POD_INDEX\)\/(\d+) }/)).1
        #expect(shard == replicas)
        let sandbox = try Sandbox()
        let config = try #require(text.firstMatch(of: /(?m)^  siding\.yaml: \|\n((?:    .*\n)+)/)).1
        try sandbox.config(config.split(separator: "\n").map { $0.dropFirst(4) }.joined(separator: "\n"))
        let secrets = ["TRACKER_TOKEN": "t", "HUB_PASSWORD": "p"]
        #expect(try await sandbox.siding("check", environment: secrets).status == 0)
        for index in [start, replicas] {
            let plan = try await sandbox.siding(
                "plan", environment: secrets.merging(["SIDING_SHARD": "\(index)/\(shard)"]) { own, _ in own })
            #expect(plan.status == 0, "\(plan.everything)")
        }
    }

    @Test func `the units that the documents name exist`() throws {
        let units = try PackagedFiles.units()
        for document in ["README.md", "Docs/Install.md", ".debian/control"] {
            let text = try PackagedFiles.text(document)
            #expect(text.contains("siding.service"), "\(document)")
            for match in text.matches(of: /siding-(sync|queue)@[A-Za-z]+\.(service|timer)/) {
                #expect(units["siding-\(match.1)@.\(match.2)"] != nil, "\(document): \(match.0)")
            }
        }
    }

    @Test func `the shell lines of the page about installing can be read by a shell`() async throws {
        let sandbox = try Sandbox()
        let blocks = try PackagedFiles.text("Docs/Install.md").matches(of: /(?m)^```sh\n((?:(?!```).*\n)*)```$/)
        #expect(blocks.count >= 4)
        for block in blocks {
            let outcome = try await sandbox.run("/bin/sh", ["-n"], input: String(block.1))
            #expect(outcome.status == 0, "\(block.1)\(outcome.error)")
        }
    }

    @Test func `every command has a manual page, with each of its commands and options`() async throws {
        let sandbox = try Sandbox()
        _ = try await PackagedFiles.script(
            "manual", SidingBinary.path(), sandbox.file("man"), "/usr/share/doc/siding", in: sandbox)
        for command in SidingCommand.configuration.subcommands {
            let name = try #require(command.configuration.commandName)
            let page = try String(contentsOfFile: sandbox.file("man/siding-\(name).1"), encoding: .utf8)
            #expect(page.hasPrefix(".TH SIDING\\-\(name.uppercased()) 1 "), "\(name)")
            for child in command.configuration.subcommands {
                #expect(page.contains("\n.SS siding \(name) \(child.configuration.commandName ?? "")\n"), "\(name)")
            }
            let isRequest = page.split(separator: "\n").contains { $0.hasPrefix("'") }
            #expect(!isRequest, "\(name): a line begins with an apostrophe")
        }
        let queue = try String(contentsOfFile: sandbox.file("man/siding-queue.1"), encoding: .utf8)
        #expect(queue.contains("\\fB\\-\\-watch\\fR"))
        let root = try String(contentsOfFile: sandbox.file("man/siding.1"), encoding: .utf8)
        #expect(root.contains("\\fB\\-\\-licenses\\fR"))
        #expect(root.contains("\\fI/usr/share/doc/siding/Docs/Config.md\\fR"))
    }

    /// Expects that the links of the documents in `folder` lead to files there.
    private func expectWholeLinks(of folder: String) throws {
        let pages = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".md") }
        #expect(pages.count > 50)
        for page in pages {
            let file = URL(filePath: "\(folder)/\(page)")
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /\]\(([^)#\s:]+)(?:#[^)\s]*)?\)/) {
                let target = URL(filePath: String(match.1), relativeTo: file)
                #expect(FileManager.default.fileExists(atPath: target.path), "\(page): \(match.1)")
            }
        }
    }

    /// Runs `make` as a user who has no Swift.
    private func make(_ arguments: String..., in sandbox: Sandbox) async throws -> Outcome {
        try await sandbox.run("/usr/bin/make", ["-C", PackagedFiles.root.path, "SWIFT=none"] + arguments)
    }

    @Test func `make install needs only the products of make build, and make uninstall removes all files`()
        async throws
    {
        let sandbox = try Sandbox()
        let places = ["DESTDIR=\(sandbox.file("root"))", "PREFIX=/opt/siding"]
        let installed = try await make("install", places[0], places[1], "BUILT=\(SidingBinary.path())", in: sandbox)
        #expect(installed.status == 0, "\(installed.everything)")
        let top = sandbox.file("root/opt/siding")
        let unit = try String(contentsOfFile: "\(top)/lib/systemd/system/siding.service", encoding: .utf8)
        #expect(unit.contains("\nExecStart=/opt/siding/bin/siding serve "))
        for file in ["bin/siding", "share/man/man1/siding-sync.1", "share/doc/siding/Docs/Config.md"] {
            #expect(FileManager.default.fileExists(atPath: "\(top)/\(file)"), "\(file)")
        }
        try expectWholeLinks(of: "\(top)/share/doc/siding")
        #expect(try await make("uninstall", places[0], places[1], in: sandbox).status == 0)
        let left = FileManager.default.enumerator(
            at: URL(filePath: top), includingPropertiesForKeys: [.isRegularFileKey])
        let files = (left?.allObjects as? [URL] ?? []).filter { !$0.hasDirectoryPath }
        #expect(files == [])
        #expect(!FileManager.default.fileExists(atPath: "\(top)/share/doc/siding"))
    }

    @Test func `make install without a build says what to run first`() async throws {
        let sandbox = try Sandbox()
        let outcome = try await make("install", "BUILT=nowhere/siding", "DESTDIR=\(sandbox.file("root"))", in: sandbox)
        #expect(outcome.status == 2)
        #expect(outcome.error.contains("install: there is no nowhere/siding: run 'make build' first"))
        #expect(!FileManager.default.fileExists(atPath: sandbox.file("root")))
    }
}

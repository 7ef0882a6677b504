import ArgumentParser
import Foundation
import Testing

@testable import SidingCLI

/// Units, manual pages and the page that explains them.
@Suite struct InstalledFilesTests {
    @Test func `each unit starts a command of siding, and takes "queued" for no failure`() throws {
        let services = try PackagedFiles.units().filter { $0.key.hasSuffix(".service") }
        #expect(services.count == 3)
        for (name, unit) in services {
            let lines = unit.split(separator: "\n")
            let start = try #require(lines.first { $0.hasPrefix("ExecStart=/usr/local/bin/siding ") }, "\(name)")
            let arguments = start.split(separator: " ").dropFirst().map { String($0.replacing("%i", with: "tracker")) }
            #expect(throws: Never.self, "\(name)") { try SidingCommand.parseAsRoot(arguments) }
            // The service itself never ends with it.
            guard arguments.first != "serve" else { continue }
            let success = try #require(lines.first { $0.hasPrefix("SuccessExitStatus=") }, "\(name)")
            #expect(success.contains(String(ExitStatus.queued.rawValue)), "\(name)")
        }
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
        _ = try await PackagedFiles.script("manual", SidingBinary.path(), sandbox.file("man"), in: sandbox)
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
    }
}

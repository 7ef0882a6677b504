// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingInspection
import Siding

/// `siding db`: prints the path of the database file and what fills it, checks, migrates, copies and shrinks it.
struct DatabaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "db", abstract: "Maintain the database file.",
        subcommands: [
            DatabasePathCommand.self, DatabaseCheckCommand.self, DatabaseMigrateCommand.self,
            DatabaseBackupCommand.self, DatabaseSizeCommand.self, DatabaseVacuumCommand.self,
        ])
}

/// `siding db path`: prints where the database is.
struct DatabasePathCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "path", abstract: "Print the path of the database.")
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let path = try Workspace.load(options).databasePath
        if options.json {
            Output.line(["path": path])
        } else {
            Output.line(path)
        }
    }
}

/// `siding db check`: checks integrity; prints the findings and exits 74 if there are any.
struct DatabaseCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the file's integrity and Siding's own rules; exit 74 if something is wrong.")
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let findings = try await options.withStore { _, store in try await store.check() }
        if options.json {
            Output.line(["ok": findings.isEmpty, "findings": findings])
        } else if findings.isEmpty {
            // Who asks wants an answer, also where there is no terminal.
            options.printMessage("the database is sound")
        } else {
            for finding in findings { Output.line(finding) }
        }
        if !findings.isEmpty { throw ExitStatus.inputOutput }
    }
}

/// `siding db migrate`: brings the file to this version's schema.
struct DatabaseMigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Migrate the file to this version's schema, after a backup.")
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let applied = try await options.withStore(.readWriteCreate) { _, store in store.appliedMigrations }
        if options.json {
            Output.line(["applied": applied])
        } else if options.terminal.isOutput || !applied.isEmpty {
            options.printMessage(applied.isEmpty ? "nothing to do" : "applied: \(applied.joined(separator: ", "))")
        }
    }
}

/// `siding db backup FILE`: copies the database while others may write.
struct DatabaseBackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the whole database while others may write.")
    @OptionGroup var options: GlobalOptions
    @Argument(help: "The new file; it must not exist.") var file: String

    func run() async throws {
        try await options.withStore { _, store in try await store.backup(to: file) }
        if options.json {
            Output.line(["path": file])
        } else {
            options.printMessage("copied to \(file)")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingInspection
import Siding
import SidingChain
import SidingCredentials
import SidingManifest

/// `siding auth`: shows how sources sign in, and removes kept tokens.
struct AuthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "auth", abstract: "Show how sources sign in, and remove stored tokens; no secret is ever shown.",
        subcommands: [AuthStatusCommand.self, AuthForgetCommand.self])
}

/// `siding auth status`: lists secrets and kept tokens by source, and the sources that wait for a sign-in.
struct AuthStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show where each source's secrets come from, and its stored token.",
        discussion: """
            Sends nothing and runs no program. Exits 77 if a source waits for a sign-in, 78 if a secret or a stored token \
            cannot be read.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The sources; all of them by default.") var sources: [String] = []

    func run() async throws {
        let workspace = try Workspace.load(options)
        let chosen = try workspace.sources(named: sources)
        let gates = try await workspace.signInGates()
        var signIns: [SourceSignIn] = []
        for source in chosen {
            signIns.append(
                await SourceSignIn(source, KeptSignIns(directory: workspace.credentials), gate: gates[source.name]))
        }
        if options.json {
            for signIn in signIns { Output.line(signIn.object.text) }
        } else {
            print(signIns)
        }
        let status = ExitStatus.combining(signIns.map(\.status), savedAnything: false)
        if status != .success { throw status }
    }

    private func print(_ signIns: [SourceSignIn]) {
        var table = Table(["source", "auth", "token", "expires", "secrets"])
        for signIn in signIns { table.add(signIn.cells(options.messageFormat)) }
        table.print(options.terminal)
        for signIn in signIns {
            for line in signIn.complaints(options.messageFormat) {
                Output.printMessage("\(signIn.source.name): \(line)")
            }
        }
    }
}

/// `siding auth forget SOURCE`: removes the source's kept token and ends the waits for a sign-in.
struct AuthForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Remove the stored token of a source.",
        discussion: """
            The next request gets a new token with the present config. The next 'siding sync' or 'siding queue run' tries \
            entries that wait for a sign-in.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The source.") var source: String
    @Flag(help: "Show the effect and change nothing.") var dryRun = false

    func run() async throws {
        let workspace = try Workspace.load(options)
        let name = try workspace.sources(named: [source])[0].name
        let kept = KeptSignIns(directory: workspace.credentials)
        let isKept: Bool
        if dryRun {
            // An unreadable token file is removed as well.
            isKept = (try? kept.state(of: name).hasToken) ?? true
        } else {
            isKept = try await kept.forget(name)
            try await workspace.withStoreIfAny(.readWrite) { store in
                try await store.endWaits(of: [name], because: .credentialsChanged)
            }
        }
        if options.json {
            Output.line(["source": name, "forgotten": isKept && !dryRun])
        } else if isKept {
            options.printMessage("\(name): the stored token \(dryRun ? "would be" : "was") removed")
        } else {
            options.printMessage("\(name): no token is stored")
        }
    }
}

extension Workspace {
    /// The gates that stay closed until a sign-in, by source; without gates that the next request opens, and empty if there is no
    /// database yet.
    fileprivate func signInGates() async throws -> [String: SourceGate] {
        let gates = try await withStoreIfAny(.readOnly) { store in try await store.gates() } ?? []
        return Dictionary(gates.filter { $0.reason == .signIn && $0.until == nil }.map { ($0.source, $0) }) {
            first, _ in first
        }
    }

    /// Like ``withStore(_:_:)``, but nil if there is no database yet.
    fileprivate func withStoreIfAny<Value>(
        _ access: Store.Access, _ body: (Store) async throws -> Value
    ) async throws -> Value? {
        do { return try await withStore(access, body) } catch {
            guard CommandError(error).status == .notFound else { throw error }
            return nil
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Siding
import SidingChain
import SidingInspection
import SidingJSON
import SidingManifest

/// `siding init`: writes a config for a URL from its first page, or a commented example that works unchanged.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Write a siding.yaml that works unchanged: for a URL, or an example.",
        discussion: """
            With a URL, the config is for that collection: one page is fetched, and shows where the records are, their key, and \
            the rule for the next page. Secrets are named by environment variables, and never written.

            If the origin asks for credentials and none are given, a new file gets the URL and the 'auth:' that the origin names, \
            to be completed (exit 77).

            Exit codes: 64 the file is there already, or the URL may have a credential, 65 the page shows no records or no \
            key, 69 the origin refused, 75 a later try may succeed, 77 the origin asks for credentials, 78 --add cannot extend the \
            file. Nothing is written then, except with 77.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(
        help: ArgumentHelp("The URL of a list of records, such as https://api.example.com/posts.", valueName: "url"))
    var url: String?

    @Flag(help: "Add the URL to the config as a resource, of the source that has its origin.")
    var add = false

    @OptionGroup(title: "Credentials") var credentials: CredentialOptions

    @Option(
        help: ArgumentHelp(
            "The example: \(ExampleConfig.all.map(\.name).joined(separator: ", ")). (default: \(ExampleConfig.standard.name))",
            valueName: "name"))
    var example: String?

    @Flag(help: "Replace an existing file.")
    var force = false

    @Flag(help: "List the examples, and write none.")
    var list = false

    func validate() throws {
        if url != nil, example != nil || list { throw ValidationError("A URL excludes --example and --list.") }
        if url == nil, add || credentials.isGiven { throw ValidationError("--add and credentials need a URL.") }
        if add, force { throw ValidationError("--add excludes --force, as it replaces nothing.") }
    }

    func run() async throws {
        if list { return showExamples() }
        guard let url else { return try writeExample() }
        let address = try address(url)
        try await add ? extendConfig(with: address) : writeConfig(for: address)
    }

    private var path: String { options.config ?? "siding.yaml" }
    private var report: InitReport { InitReport(options: options) }

    /// The URL, if it can be one of a config.
    ///
    /// - Throws: ``CommandError`` with code 64, also if a query parameter has a name of credentials; its value may be an ordinary one.
    private func address(_ text: String) throws -> HTTPURL {
        let url: HTTPURL
        do throws(Failure) { url = try HTTPURL(text) } catch {
            throw CommandError.usage(
                error.detail ?? error.description, hint: "give a URL such as https://api.example.com/posts")
        }
        let names = url.queryParameters.map { PlainText.oneLine($0.name) }
        guard let name = names.first(where: { Redaction.isSecret(queryName: $0) }) else { return url }
        throw CommandError.usage(
            "\(Redaction.url(url)): the query parameter '\(name)' may be a credential, so it is neither sent nor written",
            hint:
                "leave it out of the URL. In the file, a credential is 'auth: { type: api_key, in: query, name: \(name), key: "
                + "{ env: NAME } }' of the source, and any other value a part of 'path'")
    }

    // MARK: A new file

    private func writeConfig(for url: HTTPURL) async throws {
        let draft = ConfigDraft(url, credentials: try credentials.lines())
        let resource = try draft.resource(file: path)
        let isThere = FileManager.default.fileExists(atPath: path)
        // Refuses an existing file before anything is requested.
        let file = try newFile()
        switch try await FirstPageRequest(url: url, resource: resource, options: options).page() {
        case .success(let page):
            _ = try draft.resource(page, file: path)
            try write(draft.text(page, arguments: report.arguments), to: file)
            report.show(draft, page, path: path)
            report.showWritten(path, next: ["plan --fetch", "sync"])
        case .failure(let problem):
            guard let challenges = problem.challenges else { throw problem.error }
            let wanted = WantedCredentials(challenges, url: url, source: draft.source, arguments: report.arguments)
            var error = problem.error
            // A file that works is not replaced by one that does not yet.
            guard !isThere else {
                error.hint = "nothing was written. \(wanted.next("--force"))"
                throw error
            }
            try write(wanted.text(draft), to: file)
            error.hint = "wrote \(PlainText.oneLine(path)) with \(wanted.description). \(wanted.next("--force"))"
            throw error
        }
    }

    private func newFile() throws -> AtomicFile {
        do { return try AtomicFile(path, replaces: force, mode: 0o600) } catch let error as CommandError
            where error.name == "exists"
        {
            var error = error
            error.hint = "'siding init --add URL' adds a resource to it; --force replaces it"
            throw error
        }
    }

    private func write(_ text: String, to file: AtomicFile) throws {
        try file.write(Array((SchemaFile.comment + text).utf8))
        try file.finish()
    }

    // MARK: An existing file

    private func extendConfig(with url: HTTPURL) async throws {
        let workspace = try Workspace.load(options)
        let addition = try ConfigExtension(url, credentials: credentials.lines(), to: workspace.config)
        // Also finds out, before anything is requested, whether the file can be extended.
        let request = FirstPageRequest(
            url: url, resource: try addition.extended().resource, options: options, workspace: workspace)
        switch try await request.page() {
        case .success(let page):
            try addition.write(addition.extended(page).text)
            report.show(addition.draft, page, path: addition.path)
            report.showAdded(addition.draft, to: addition.path)
        case .failure(let problem):
            guard let challenges = problem.challenges else { throw problem.error }
            let wanted = WantedCredentials(
                challenges, url: url, source: addition.draft.source, arguments: report.arguments)
            var error = problem.error
            error.hint = "nothing was added. \(wanted.next("--add"))"
            throw error
        }
    }

    // MARK: Examples

    private func writeExample() throws {
        let example = example ?? ExampleConfig.standard.name
        guard let text = ExampleConfig.named(example)?.text else {
            throw CommandError.usage(
                "there is no example '\(example)'",
                hint:
                    "there are: \(ExampleConfig.all.map(\.name).joined(separator: ", ")); --list says what they fetch")
        }
        try write(text, to: newFile())
        if options.json {
            Output.line(["path": path, "example": example])
        } else {
            report.showWritten(path, next: ["check", "plan", "sync"])
        }
    }

    private func showExamples() {
        guard options.json else {
            var table = Table(["example", "what it fetches"])
            ExampleConfig.all.forEach { table.add([$0.name, $0.summary]) }
            return table.print(options.terminal)
        }
        for example in ExampleConfig.all {
            Output.line(["example": example.name, "summary": example.summary])
        }
    }
}

import ArgumentParser
import SidingInspection
import Foundation
import Siding
import SidingChain
import SidingHTTP
import SidingJSON
import SidingManifest
import SidingNetwork

/// `siding init`: writes a config for a URL from its first page, or a commented example that works unchanged.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Write a siding.yaml that works unchanged: for a URL, or an example.",
        discussion: """
            With a URL, the config is for that collection: one page is fetched, without credentials, and shows where the \
            records are, their key, and the rule for the next page.

            Exit codes: 64 the file is there already, or the URL may have a credential, 65 the page shows no records or no \
            key, 69 the origin refused, 75 a later try may succeed, 77 the origin asks for credentials. Nothing is written then.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(
        help: ArgumentHelp("The URL of a list of records, such as https://api.example.com/posts.", valueName: "url"))
    var url: String?

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
    }

    private var path: String { options.config ?? "siding.yaml" }

    func run() async throws {
        if list { return showExamples() }
        if let url { return try await write(for: url) }
        let example = example ?? ExampleConfig.standard.name
        guard let text = ExampleConfig.named(example)?.text else {
            throw CommandError.usage(
                "there is no example '\(example)'",
                hint:
                    "there are: \(ExampleConfig.all.map(\.name).joined(separator: ", ")); --list says what they fetch")
        }
        try AtomicFile.write(text, to: path, replaces: force)
        if options.json {
            Output.line(["path": path, "example": example])
        } else {
            reportWritten(next: "'siding check', 'siding plan', 'siding sync'")
        }
    }

    private func reportWritten(next: String) {
        options.printMessage("wrote \(path); next: \(next)")
        guard options.config == nil, let other = ProcessInfo.processInfo.environment["SIDING_CONFIG"], !other.isEmpty
        else { return }
        options.printMessage(
            "but SIDING_CONFIG names \(other), which these commands take: unset it, or add '--config \(path)'")
    }

    // MARK: A URL

    private func write(for text: String) async throws {
        let draft: ConfigDraft
        do throws(Failure) { draft = ConfigDraft(try HTTPURL(text)) } catch {
            throw CommandError.usage(
                error.detail ?? error.description, hint: "give a URL such as https://api.example.com/posts")
        }
        try checkCredentials(draft.url)
        let resource = try draft.resource(file: path)
        // Refuses an existing file before anything is requested.
        let file = try AtomicFile(path, replaces: force, mode: 0o600)
        let page = try await firstPage(of: resource, at: draft.url)
        _ = try draft.resource(page, file: path)
        try file.write(Array(draft.text(page).utf8))
        try file.finish()
        if options.json { Output.line(object(draft, page)) } else { report(draft, page) }
    }

    /// - Throws: ``CommandError`` with code 64 if a query parameter has a name of credentials; its value may be an ordinary one.
    private func checkCredentials(_ url: HTTPURL) throws {
        let names = url.queryParameters.map { PlainText.oneLine($0.name) }
        guard let name = names.first(where: { Redaction.isSecret(queryName: $0) }) else { return }
        throw CommandError.usage(
            "\(Redaction.url(url)): the query parameter '\(name)' may be a credential, so it is neither sent nor written",
            hint:
                "leave it out of the URL. In the file, a credential is 'auth: { type: api_key, in: query, name: \(name), key: "
                + "{ env: NAME } }' of the source, and any other value a part of 'path'")
    }

    private func firstPage(of resource: AnyResource, at url: HTTPURL) async throws -> FirstPage {
        let (source, environment) = (resource.source, Environment(logger: options.logger()))
        let fetched = try await Network.using { http in
            let chain = ChainAssembly(
                to: source, for: nil,
                over: options.watching(http, nil).transport(for: source.name, source.connection),
                in: environment)
            return await result { () async throws(Failure) in
                try await chain.uncachedRequest(upTo: source.transport.maxBody).process(
                    url, ChainContext(requestID: "init", logger: environment.logger, isResendable: true))
            }
        }
        if let stopped = fetched.stopped { throw stopped }
        do throws(Failure) { return try FirstPage(fetched.value.get(), of: resource) } catch {
            var problem = CommandError(error.at(method: "GET", url: Redaction.url(url)))
            switch error.retention(of: .fetch) {
            // What a sync would keep in its queue. Here the next try is a new command.
            case .keep:
                let advice = error.reason == .hostNotFound ? "check the name of the host, or try" : "try"
                (problem.status, problem.hint) = (.queued, "nothing was written; \(advice) again later")
            case .signIn:
                problem.hint =
                    "a URL alone has no credentials: 'siding init --example local' writes a config to fill in, with 'auth:'"
            case .park, .fail, .release: break
            }
            throw problem
        }
    }

    private func report(_ draft: ConfigDraft, _ page: FirstPage) {
        let place = page.records.map { " at \($0.withoutEach)" } ?? ""
        options.printMessage("\(draft.name): \(MessageFormat.count(page.count, "record"))\(place)")
        options.printMessage("    key: \(page.key.path), \(page.key.message(page.count))")
        if let next = page.next {
            options.printMessage("    \(next.line)")
            options.printMessage("        \(next.message)")
        } else {
            options.printMessage("    one page: nothing on it shows that there are more")
        }
        reportWritten(next: "'siding plan --fetch', 'siding sync'")
    }

    private func object(_ draft: ConfigDraft, _ page: FirstPage) -> JSONObject {
        [
            "path": path, "resource": draft.name, "count": page.count, "records": page.records?.description,
            "key": page.key.path.description, "paginate": page.next?.rule, "evidence": page.next?.evidence,
            "caution": page.next?.caution,
        ]
    }

    // MARK: Examples

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

/// The value or the failure of `work`.
private func result<Value>(_ work: () async throws(Failure) -> Value) async -> Result<Value, Failure> {
    do throws(Failure) { return .success(try await work()) } catch { return .failure(error) }
}

// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingJSON
import SidingManifest

/// The config of one collection, as `siding init URL` writes it.
struct ConfigDraft {
    let url: HTTPURL
    /// The resource's name: the last part of the URL's path that can be one.
    var name: String
    /// The source's name.
    var source: String
    /// The URL of the source, which may have a path; nil for the origin of ``url``.
    var baseURL: HTTPURL?
    /// Whether the resource names its source, as there are several.
    var namesSource = false
    /// The lines of the source's credentials.
    var credentials: [String]

    init(_ url: HTTPURL, credentials: [String] = []) {
        self.url = url
        self.credentials = credentials
        name = url.path.split(separator: "/").reversed().lazy.compactMap(Self.resourceName).first ?? "records"
        source = Self.sourceName(url.host)
    }

    private static func resourceName(_ part: Substring) -> String? {
        let name = HTTPURL.decode(String(part)).prefix { $0 != "." }.prefix(60)
            .map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "_" }.joined()
        let isVersion = name.wholeMatch(of: /[vV][0-9]+/) != nil
        let isReserved = ["siding_", "sqlite_"].contains { name.lowercased().hasPrefix($0) }
        return isVersion || isReserved || name.prefixMatch(of: /[A-Za-z]/) == nil ? nil : name
    }

    /// `github` for `api.github.com`.
    private static func sourceName(_ host: String) -> String {
        let labels = host.split(separator: ".")
        let name = (labels.count > 1 ? labels.dropLast() : labels).first { !["api", "www"].contains($0) }
        return name.flatMap { $0.wholeMatch(of: /[a-z][a-z0-9-]{0,60}/) == nil ? nil : String($0) } ?? "origin"
    }

    /// The resource of the draft: before its page is known with the usual key, to fetch that page; then as the config declares it.
    ///
    /// - Parameter file: where the config will be.
    /// - Throws: ``CommandError`` with code 64 if no config can have this URL, with 65 if none can have what its page shows.
    func resource(_ page: FirstPage? = nil, file: String) throws -> AnyResource {
        do throws(ConfigError) {
            let config = try Config.parse(text(page), file: file, environment: .process)
            if let resource = config.resources.first { return resource }
            throw .invalid([])
        } catch {
            throw problem(error, page)
        }
    }

    /// The error for a URL, or for what its page shows, that no config can have.
    func problem(_ error: ConfigError, _ page: FirstPage?) -> CommandError {
        let fault = error.faults.first
        return CommandError(
            page == nil ? .usage : .data, page == nil ? "usage" : "contract",
            "\(Redaction.url(url)): \(fault?.message ?? "no config can have this URL")",
            hint: fault?.expected.map { "expected \($0)" })
    }

    // MARK: The text

    /// The text of a file with this source and this resource alone.
    ///
    /// - Parameters:
    ///   - head: the comment at the top; nil for the next commands.
    ///   - arguments: which commands need behind them to find the file, such as ` -c two.yaml`.
    func text(_ page: FirstPage?, head: [String]? = nil, arguments: String = "") -> String {
        let comment = (head ?? commands(arguments)).map { $0.isEmpty ? "#\n" : "# \($0)\n" }.joined()
        return """
            \(comment)version: 1

            database:
              path: \(name).db    # relative to this file

            sources:
            \(sourceEntry.lines(indent: "  ", step: "  ").joined(separator: "\n"))

            resources:
            \(resourceEntry(page).lines(indent: "  ", step: "  ").joined(separator: "\n"))

            """
    }

    private func commands(_ arguments: String) -> [String] {
        let (plan, sync) = ("siding plan --fetch\(arguments)", "siding sync\(arguments)")
        return [
            "What to fetch, from where, and what tells records apart, as the first page of the URL shows it.", "",
            "  \(plan)   tries a sync, and saves nothing",
            "  \(sync.padding(to: plan.count))   fetches every page, and saves what is new",
            "  siding query\(arguments) 'SELECT * FROM \"\(name)\" LIMIT 10'",
        ]
    }

    var sourceEntry: ConfigEntry {
        let isPlain = url.scheme == "http" && !url.isLoopback
        let warning = credentials.isEmpty ? "" : "    # the credentials, too, are sent unencrypted"
        return ConfigEntry(
            name: source,
            lines: ["base_url: \(YAMLText.scalar(url.origin))"]
                + (isPlain ? ["http: { allow_plain_http: true }\(warning)"] : []) + credentials)
    }

    func resourceEntry(_ page: FirstPage?) -> ConfigEntry {
        let rest = page.map(lines) ?? ["key: id    # a guess, as no page has been seen"]
        return ConfigEntry(
            name: YAMLText.scalar(name),
            lines: (namesSource ? ["source: \(source)"] : []) + ["path: \(YAMLText.scalar(path(page)))"] + rest)
    }

    /// The path of the first page, below the source's URL.
    func path(_ page: FirstPage?) -> String {
        let first = url.removingQuery(named: page?.next?.parameters ?? [])
        return baseURL.flatMap { first.path(below: $0) } ?? first.requestTarget
    }

    private func lines(_ page: FirstPage) -> [String] {
        let came = MessageFormat.count(page.count, "record")
        var lines: [String] = []
        if let records = page.records { lines.append("records: \(YAMLText.scalar(records.description))    # \(came)") }
        lines.append("key: \(Self.key(page.key.path))    # \(page.key.message(page.count))")
        return lines + paginate(page) + [Self.deletions]
    }

    private func paginate(_ page: FirstPage) -> [String] {
        guard let next = page.next else { return ["# paginate: nothing on the page shows that there are more"] }
        let line = "\(next.rule == nil ? "# " : "")\(next.line)"
        let sized = next.sizedRule.map { ["# paginate: \($0)    # a larger size takes fewer requests"] } ?? []
        return ["# \(PlainText.oneLine(next.message, limit: 200))", line] + sized
    }

    private static let deletions =
        "# deletes: { detect: complete_listing }    # without it, records that are deleted at the origin stay here"

    private static func key(_ path: JSONPath) -> String {
        guard let names = path.memberNames, names.count == 1, !names[0].hasPrefix("$") else {
            return YAMLText.scalar(path.description)
        }
        return YAMLText.scalar(names[0])
    }
}

extension HTTPURL {
    /// The path and query that appended to `base` make this URL; nil if none do.
    func path(below base: HTTPURL) -> String? {
        let prefix = base.path.hasSuffix("/") ? String(base.path.dropLast()) : base.path
        guard base.origin == origin, path.hasPrefix("\(prefix)/") else { return nil }
        let rest = String(requestTarget.dropFirst(prefix.count))
        return (try? base.appending(path: rest)) == self ? rest : nil
    }
}

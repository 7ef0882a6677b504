import Siding
import SidingInspection
import SidingChain
import SidingJSON
import SidingManifest

/// The config of one collection, as `siding init URL` writes it.
struct ConfigDraft {
    let url: HTTPURL
    /// The resource's name: the last part of the URL's path that can be one.
    let name: String
    private let source: String

    init(_ url: HTTPURL) {
        self.url = url
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
            let fault = error.faults.first
            throw CommandError(
                page == nil ? .usage : .data, page == nil ? "usage" : "contract",
                "\(Redaction.url(url)): \(fault?.message ?? "no config can have this URL")",
                hint: fault?.expected.map { "expected \($0)" })
        }
    }

    /// The text of the file.
    func text(_ page: FirstPage?) -> String {
        let plain = url.scheme == "http" && !url.isLoopback ? "\n    http: { allow_plain_http: true }" : ""
        let resource = page.map(lines) ?? ["key: id"]
        let first = url.removingQuery(named: page?.next?.parameters ?? [])
        return """
            # What to fetch, from where, and what tells records apart, as the first page of the URL shows it.
            #
            #   siding plan --fetch   tries a sync, and saves nothing
            #   siding sync           fetches every page, and saves what is new
            #   siding query 'SELECT * FROM "\(name)" LIMIT 10'
            version: 1

            database:
              path: \(name).db    # relative to this file

            sources:
              \(source):
                base_url: \(Self.scalar(url.origin))\(plain)

            resources:
              \(Self.scalar(name)):
                path: \(Self.scalar(first.requestTarget))
                \(resource.joined(separator: "\n    "))

            """
    }

    private func lines(_ page: FirstPage) -> [String] {
        let came = MessageFormat.count(page.count, "record")
        var lines: [String] = []
        if let records = page.records { lines.append("records: \(Self.scalar(records.description))    # \(came)") }
        lines.append("key: \(Self.key(page.key.path))    # \(page.key.message(page.count))")
        guard let next = page.next else { return lines + ["# paginate: nothing on the page shows that there are more"] }
        lines.append("# \(PlainText.oneLine(next.message, limit: 200))")
        lines.append("\(next.rule == nil ? "# " : "")\(next.line)")
        return lines
    }

    private static func key(_ path: JSONPath) -> String {
        guard let names = path.memberNames, names.count == 1, !names[0].hasPrefix("$") else {
            return scalar(path.description)
        }
        return scalar(names[0])
    }

    /// `text` as YAML reads it back, quoted where it has to be.
    private static func scalar(_ text: String) -> String {
        let words: Set<String> = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]
        let isPlain =
            text.wholeMatch(of: /[A-Za-z_\/$][A-Za-z0-9_.\/?=&%~\-\[\]*]*/) != nil || (try? HTTPURL(text)) != nil
        return isPlain && !words.contains(text.lowercased())
            ? text : String(decoding: JSONDocument(string: text).bytes, as: UTF8.self)
    }
}

// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingJSON
import SidingManifest

/// The target of a write as given on the command line: a method and a URL, or a write that the config's `writes` declares.
struct WriteTarget {
    let source: Source
    /// Method, URL, lane and idempotency; options fill in the rest.
    let request: WriteRequest

    /// - Parameter words: `POST source:/path`, or `issues.update 7`.
    /// - Throws: ``CommandError`` with code 66 for a source or write that is not in the config, 64 for any other bad argument.
    init(_ words: [String], in config: Config) throws {
        if let declared = try Self.declared(words, config) {
            self = declared
            return
        }
        guard words.count == 2 else {
            throw CommandError.usage(
                "write it as METHOD URL, METHOD source:/path, or NAME.VERB [ID]",
                hint: "'siding send --help' has examples")
        }
        guard let method = HTTPRequest.Method(words[0].uppercased()) else {
            throw CommandError.usage("'\(PlainText.oneLine(words[0], limit: 40))' is no HTTP method")
        }
        let (source, url) = try Self.place(words[1], config)
        var request = WriteRequest(to: source.name, method, url, idempotency: source.idempotency)
        request.expiry = source.expiry
        self.init(source: source, request: request)
    }

    private init(source: Source, request: WriteRequest) { (self.source, self.request) = (source, request) }

    /// A declared write, such as `issues.create` or `issues.update 7`; nil if the first word is not NAME.VERB.
    private static func declared(_ words: [String], _ config: Config) throws -> WriteTarget? {
        guard let match = words.first?.wholeMatch(of: /([A-Za-z_][A-Za-z0-9_-]*)\.([a-z]+)/), words.count < 3 else {
            return nil
        }
        let name = String(match.1)
        guard let declaration = config.writes.first(where: { $0.name == name }) else {
            let names = config.writes.map(\.name)
            throw CommandError.notFound(
                "\(config.file) declares no writes '\(name)'",
                hint: names.isEmpty ? "'writes:' declares them" : "it has: \(names.joined(separator: ", "))")
        }
        guard let verb = WriteDeclaration.Verb(rawValue: String(match.2)) else {
            throw CommandError.usage("'\(match.2)' is not a verb: create, update or delete")
        }
        do {
            return WriteTarget(
                source: declaration.source, request: try declaration.request(verb, id: words.dropFirst().first))
        } catch {
            throw CommandError.usage(error.detail ?? error.description)
        }
    }

    /// - Parameter text: `source:/path`, or a URL, which belongs to the source with the longest matching base_url.
    private static func place(_ text: String, _ config: Config) throws -> (Source, HTTPURL) {
        if let named = try named(text, config) { return named }
        let url: HTTPURL
        do { url = try HTTPURL(text) } catch {
            throw CommandError.usage(error.detail ?? error.description, hint: "give source:/path or a URL")
        }
        let below = config.sources.filter { self.is(url, below: $0.baseURL) }
        guard let source = below.max(by: { $0.baseURL.path.utf8.count < $1.baseURL.path.utf8.count }) else {
            throw CommandError.usage(
                "\(Redaction.url(url)) is not below the base_url of any source, so no credentials belong to it",
                hint: "\(config.file) has: \(names(config))")
        }
        return (source, url)
    }

    private static func named(_ text: String, _ config: Config) throws -> (Source, HTTPURL)? {
        guard let match = text.wholeMatch(of: /([a-z][a-z0-9_-]*):(?!\/\/)(.*)/) else { return nil }
        guard let source = config.sources.first(where: { $0.name == String(match.1) }) else {
            throw CommandError.notFound(
                "\(config.file) has no source '\(PlainText.oneLine(String(match.1), limit: 100))'",
                hint: "it has: \(names(config))")
        }
        do { return (source, try source.baseURL.appending(path: String(match.2))) } catch {
            throw CommandError.usage(error.detail ?? error.description)
        }
    }

    /// The new URL for edited entries.
    ///
    /// - Parameter text: a path below the source's base URL, `source:/path`, or a URL of its origin.
    /// - Throws: ``CommandError`` with code 66 if the config no longer has the source, 64 for entries of several sources or any
    ///   other text.
    static func url(_ text: String, for entries: [QueueEntry], in config: Config) throws -> HTTPURL {
        let names = Set(entries.map(\.source)).sorted()
        guard let name = names.first, names.count == 1 else {
            throw CommandError.usage(
                "the entries belong to several sources (\(names.joined(separator: ", "))), but a URL belongs to one",
                hint: "select one with --source")
        }
        guard let source = config.sources.first(where: { $0.name == name }) else {
            throw CommandError.notFound(
                "the config no longer has source '\(PlainText.oneLine(name))'", hint: "it has: \(self.names(config))")
        }
        do {
            if text.hasPrefix("/") { return try source.baseURL.appending(path: text) }
            if let (named, url) = try named(text, config), named.name == name { return url }
            let url = try HTTPURL(text)
            if url.origin == source.baseURL.origin { return url }
        } catch let error as Failure {
            throw CommandError.usage(
                error.detail ?? error.description, hint: "give a path that begins with /, or a URL")
        }
        throw CommandError.usage(
            "the new URL is not at \(source.baseURL.origin), the origin of source '\(name)'",
            hint: "give a path below its base_url that begins with /")
    }

    /// Throws if the change carries a credential of the entries' sources, as `siding send` does.
    static func check(_ change: WriteChange, of entries: [QueueEntry], in config: Config) throws {
        let names = Set(entries.map(\.source))
        for source in config.sources where names.contains(source.name) {
            let write = WriteRequest(
                to: source.name, .post, change.url ?? source.baseURL, headerFields: change.headerFields ?? [:])
            try source.check(write)
        }
    }

    private static func names(_ config: Config) -> String { config.sources.map(\.name).joined(separator: ", ") }

    private static func `is`(_ url: HTTPURL, below base: HTTPURL) -> Bool {
        let folder = base.path.hasSuffix("/") ? base.path : base.path + "/"
        return url.origin == base.origin && (url.path == base.path || url.path.hasPrefix(folder))
    }
}

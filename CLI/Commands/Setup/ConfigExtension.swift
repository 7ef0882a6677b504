// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingManifest

/// The config of `siding init --add`: an existing file with one more resource, and one more source if it has none of that origin.
struct ConfigExtension {
    let path: String
    let draft: ConfigDraft
    private let config: Config
    private let editable: EditableConfig
    private let addsSource: Bool

    /// - Parameters:
    ///   - credentials: lines of a source's `auth:`; only a source with the same ones is reused. None reuse any source.
    ///   - config: what is in the file.
    /// - Throws: ``CommandError`` with code 78 if the file cannot be read.
    init(_ url: HTTPURL, credentials: [String], to config: Config) throws {
        let text = try Self.text(of: config.file)
        let editable = try EditableConfig(text, file: config.file)
        let source = Self.sources(for: url, in: config).first {
            credentials.isEmpty || editable.source($0.name, has: credentials)
        }
        var draft = ConfigDraft(url, credentials: credentials)
        draft.baseURL = source?.baseURL
        draft.source =
            source?.name ?? Self.free(draft.source, among: config.sources.map(\.name), separator: "-")
        draft.name = Self.free(draft.name, among: Self.names(in: config), separator: "_")
        draft.namesSource = config.sources.count + (source == nil ? 1 : 0) > 1
        (path, self.draft, self.config, self.editable) = (config.file, draft, config, editable)
        addsSource = source == nil
    }

    /// The sources below which the URL is, the one with the longest path first.
    private static func sources(for url: HTTPURL, in config: Config) -> [Source] {
        config.sources.enumerated().filter { url.path(below: $0.element.baseURL) != nil }
            .sorted {
                (-$0.element.baseURL.path.utf8.count, $0.offset) < (-$1.element.baseURL.path.utf8.count, $1.offset)
            }.map(\.element)
    }

    /// The names that a resource must not have: those of views, and of writes, which would otherwise become writes of its records.
    private static func names(in config: Config) -> [String] {
        let views = config.resources.flatMap { resource in
            [resource.name] + resource.schema.children.map { $0.viewName(of: resource.name) }
        }
        return views + config.writes.map(\.name)
    }

    /// `name`, or the first of `name_2`, `name_3`, … that is not taken.
    private static func free(_ name: String, among taken: [String], separator: String) -> String {
        let taken = Set(taken.map { $0.lowercased() })
        if !taken.contains(name.lowercased()) { return name }
        let numbered = (2...taken.count + 2).lazy.map { "\(name)\(separator)\($0)" }
        return numbered.first { !taken.contains($0.lowercased()) } ?? name
    }

    /// The resource as the extended file declares it, and the text of that file.
    ///
    /// - Throws: ``CommandError`` with code 64 if the config has the URL already or can have none like it, 65 if it cannot have what its
    ///   page shows; ``ConfigError`` if nothing can be added to the file.
    func extended(_ page: FirstPage? = nil) throws -> (resource: AnyResource, text: String) {
        if let other = same(page) {
            throw CommandError(
                .usage, "exists", "\(path) has \(Redaction.url(draft.url)) already, as resource '\(other.name)'",
                hint: "nothing was added")
        }
        let text = try editable.adding(
            source: addsSource ? draft.sourceEntry : nil, resource: draft.resourceEntry(page))
        do throws(ConfigError) {
            let extended = try Config.parse(text, file: path, environment: .process)
            if let resource = extended.resources.first(where: { $0.name == draft.name }) { return (resource, text) }
            throw .invalid([])
        } catch {
            throw draft.problem(error, page)
        }
    }

    private func same(_ page: FirstPage?) -> AnyResource? {
        guard !addsSource else { return nil }
        return config.resources.first {
            $0.source.name == draft.source && $0.path == draft.path(page) && $0.method == .get && $0.query.isEmpty
        }
    }

    /// Replaces the file as a whole.
    ///
    /// - Throws: ``CommandError`` with code 74 if it was changed since it was read, or cannot be written.
    func write(_ text: String) throws {
        guard try Self.text(of: path) == editable.text else {
            throw CommandError(
                .inputOutput, "changed", "\(path) was changed meanwhile, so nothing was added", hint: "run it again")
        }
        try AtomicFile.write(text, to: path, replaces: true)
    }

    private static func text(of path: String) throws -> String {
        do { return try ConfigEnvironment.process.text(ofFile: path, limit: Config.sizeLimit) } catch {
            throw ConfigError.unreadable(path: path, reason: error.reason)
        }
    }
}

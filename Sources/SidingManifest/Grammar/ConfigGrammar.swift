// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingNotifications

/// The grammar of the top level of the file.
enum ConfigGrammar {
    private static let version = Keyword(
        "version", versionType, isRequired: true, "The version of this grammar: 1.")
    private static let database = Keyword("database", databaseShape.type, "The database file.")
    private static let keep = Keyword(
        "keep", KeepGrammar.shape.type, "How long runs, completed queue entries and deleted records are kept.")
    private static let sources = Keyword("sources", SourceGrammar.all, isRequired: true, "Origins by name.")
    private static let resources = Keyword("resources", all, "Collections by name; each becomes a view.")
    private static let writes = Keyword(
        "writes", WriteGrammar.all,
        "How records are created, changed and deleted at the origin. A config has resources, writes or both.")

    private static let notify = Keyword(
        "notify", NotifyGrammar.all, "Programs and addresses to notify when something is wrong, and when it is over.")

    private static let publish = Keyword(
        "publish", PublishGrammar.all, "PostgreSQL databases by name, to which records are published.")

    static let shape = Shape<ConfigDeclaration>([
        version.entry, database.entry, keep.entry, sources.entry, resources.entry, writes.entry, notify.entry,
        publish.entry,
    ]) { object, reading in
        _ = object.value(version, &reading)
        var declaration = ConfigDeclaration()
        declaration.database = object.value(database, &reading) ?? DatabaseDeclaration()
        declaration.keep = object.value(keep, &reading) ?? KeepRules()
        declaration.sources = object.value(sources, &reading) ?? []
        declaration.resources = object.value(resources, &reading) ?? []
        declaration.writes = object.value(writes, &reading) ?? []
        // A hook without its secret fails; it does not stop a sync.
        let hooks = reading.keepingSecretsApart { object.value(notify, &$0) }
        (declaration.hooks, declaration.hookSecrets) = (hooks.value ?? [], hooks.secrets)
        // Nor does a hub without its password.
        let targets = reading.keepingSecretsApart { object.value(publish, &$0) }
        (declaration.targets, declaration.targetSecrets) = (targets.value ?? [], targets.secrets)
        declaration.resourceNames = object.names(in: resources)
        declaration.sourceNames = object.names(in: sources)
        checkSaysSomethingToDo(object, &reading)
        return declaration
    }

    /// Checks that the file has resources or writes, or both. A misspelt key has already been noted and is not reported again.
    private static func checkSaysSomethingToDo(_ object: ObjectReader, _ reading: inout Reading) {
        let names = [resources.name, writes.name]
        let isMeant = reading.faults.contains { $0.suggestion.map(names.contains) ?? false }
        guard object.entry(resources.name) == nil, !isMeant else { return }
        if let writes = object.entry(writes.name) {
            guard case .map(let entries) = writes.value.content, entries.isEmpty else { return }
        }
        reading.fault(
            "the file has neither 'resources' nor 'writes'", at: object.place,
            expected: "a map of one or more resources, or of writes")
    }

    private static let versionType = ValueType<Int>.scalar("version: 1", schema: ["const": 1]) { text, isPlain in
        isPlain && text == "1" ? .value(1) : .refused(suggestion: ["1", "1.0", "v1"].contains(text) ? "1" : nil)
    }

    // MARK: Database

    private static let path = Keyword(
        "path", ValueType<String>.text("the path of a file"),
        "Relative to this file; ~/ is the home directory. Without it: a file in the state directory, which all configs without a path share."
    )
    private static let synchronous = Keyword(
        "synchronous", ValueType<Config.Synchronous>.choice, default: "full",
        "full: survives a power cut; normal: survives the end of the process.")

    private static let databaseShape = Shape<DatabaseDeclaration>([path.entry, synchronous.entry]) { object, reading in
        let path = object.located(path, &reading)
        if let path, path.value.hasSuffix("/") {
            reading.fault("\(path.subject) is a directory", at: path.place, expected: "the path of a file")
        }
        return DatabaseDeclaration(
            path: path.flatMap { reading.absolute($0) }, synchronous: object.value(synchronous, &reading) ?? .full)
    }

    // MARK: Resources

    private static let all = ValueType<[NamedMember<ResourceDeclaration>]>.map(
        of: ResourceGrammar.shape.type, "a map of one or more resources", atLeast: 1, each: "resource",
        checkingNames: ResourceNames.check)
}

/// The parsed file, before resources are bound to their sources.
struct ConfigDeclaration: Sendable {
    var database = DatabaseDeclaration()
    var keep = KeepRules()
    var sources: [NamedMember<Source>] = []
    /// In file order, including those with faults.
    var sourceNames: [String] = []
    var resources: [NamedMember<ResourceDeclaration>] = []
    /// In file order, including those with faults.
    var resourceNames: [String] = []
    var writes: [NamedMember<LocatedWrite>] = []
    var hooks: [Located<NotificationHook>] = []
    var hookSecrets: [SecretUse] = []
    var targets: [NamedMember<TargetDeclaration>] = []
    var targetSecrets: [SecretUse] = []
}

/// The parsed `database:` section.
struct DatabaseDeclaration: Sendable {
    var path: String?
    var synchronous = Config.Synchronous.full
}

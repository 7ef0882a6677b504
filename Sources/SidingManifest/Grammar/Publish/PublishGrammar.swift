// SPDX-License-Identifier: Apache-2.0
internal import SidingCredentials
internal import SidingHub

/// The databases to which records are published: `publish:`.
enum PublishGrammar {
    private static let address = Keyword(
        "to", addressType, isRequired: true,
        "The PostgreSQL database: a URI, postgresql://USER@HOST/DATABASE, a connection string, host=HOST dbname=DATABASE, or service=NAME."
    )
    private static let password = Keyword(
        "password", ValueType<Secret>.secret,
        "The password for the database. Without it: that of PGPASSWORD, ~/.pgpass or the service, if the server asks for one."
    )
    private static let station = Keyword(
        "station", stationType,
        "The name of this station: the first part of each key in the database. Without it: the host name.")
    private static let resources = Keyword(
        "resources",
        ValueType<[Located<String>]>.list(of: resourceName, "a list of resources such as [issues, readings]"),
        "The resources that are published: names from resources. Without it: all.")
    private static let every = Keyword(
        "every", ValueType<Duration>.duration, default: "1m", "How often 'siding serve' publishes what has changed.")
    private static let schema = Keyword(
        "schema", schemaType, default: .string(HubTarget.usualSchema),
        "The schema of the tables and views in the database.")

    private static let shape = Shape<TargetDeclaration>([
        address.entry, password.entry, station.entry, resources.entry, every.entry, schema.entry,
    ]) { object, reading in
        var target = TargetDeclaration(subject: reading.subject, station: reading.environment.machine)
        target.address = object.value(address, &reading)
        target.password = object.value(password, &reading)
        target.station = object.value(station, &reading) ?? target.station
        target.resources = object.value(resources, &reading)
        target.every = object.value(every, &reading) ?? target.every
        target.schema = object.value(schema, &reading) ?? target.schema
        return target
    }

    /// The whole of `publish:`.
    static let all = ValueType<[NamedMember<TargetDeclaration>]>.map(
        of: shape.type, "a map of one or more targets", atLeast: 1, each: "target",
        checkingNames: CommandNames.check("target"))

    // MARK: Address

    private static let howAddressesAreWritten =
        "postgresql://USER@HOST/DATABASE, host=HOST dbname=DATABASE user=USER, or service=NAME"

    /// What libpq takes (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING), without a password. Faults
    /// do not quote it.
    private static let addressType: ValueType<String> = ValueType<String>.text(howAddressesAreWritten)
        .map { text, node, reading in
            guard !holdsPassword(text) else {
                let message = "\(reading.subject) carries a password, a secret that this file never holds"
                reading.fault(message, at: node.place, expected: "password: { file: PATH }")
                return nil
            }
            guard text.firstMatch(of: /(^|[\s'?&])sslpassword\s*=/.ignoresCase()) == nil else {
                let message = "\(reading.subject) carries the password of a key, a secret that this file never holds"
                reading.fault(message, at: node.place, expected: "a key without a password")
                return nil
            }
            let isURI = text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
            guard isURI || text.prefixMatch(of: /\s*[A-Za-z_]+\s*=/) != nil else {
                let message = "\(reading.subject) is not the address of a PostgreSQL database"
                reading.fault(message, at: node.place, expected: howAddressesAreWritten)
                return nil
            }
            return text
        }

    /// Whether the address has a password, also one in which a character should have been escaped.
    private static func holdsPassword(_ text: String) -> Bool {
        if text.firstMatch(of: /(^|[\s'?&])password\s*=/.ignoresCase()) != nil { return true }
        guard let start = text.firstRange(of: "://")?.upperBound else { return false }
        let rest = text[start...]
        // libpq looks for user and password before the first slash, where a password may have a question mark.
        return [rest.prefix { $0 != "/" }, rest.prefix { $0 != "?" }].contains { part in
            guard let end = part.lastIndex(of: "@") else { return false }
            return part[..<end].contains(":")
        }
    }

    // MARK: Names

    private static let longestStation = 200

    private static let stationType: ValueType<String> =
        ValueType<String>.text("a name such as van-17, at most \(longestStation) characters")
        .map { text, node, reading in
            let expected = "a name such as van-17, at most \(longestStation) characters"
            guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
                let message = "\(reading.subject) holds a line break or another control character"
                reading.fault(message, at: node.place, expected: expected)
                return nil
            }
            guard text.unicodeScalars.count <= longestStation else {
                let message = "\(reading.subject) is longer than \(longestStation) characters"
                reading.fault(message, at: node.place, expected: expected)
                return nil
            }
            return text
        }

    private static let resourceName: ValueType<Located<String>> = ValueType<String>.text("the name of a resource")
        .map { text, node, reading in
            Located(value: text, place: node.place, subject: reading.subject)
        }

    /// PostgreSQL keeps names that begin with pg_ for itself.
    private static let schemaType = ValueType<String>.scalar(
        "a name of letters, digits and _, at most 63, that does not begin with pg_",
        schema: SchemaValue.anyScalar.adding([("pattern", "^[A-Za-z0-9_]{1,63}$")])
    ) { text, _ in
        let isName = text.wholeMatch(of: /[A-Za-z0-9_]{1,63}/) != nil && !text.hasPrefix("pg_")
        return isName ? .value(text) : .refused(suggestion: nil)
    }
}

/// A target before its resources are known to exist.
struct TargetDeclaration: Sendable {
    let subject: Subject
    var address: String?
    var password: Secret?
    var station: String
    /// Nil: all.
    var resources: [Located<String>]?
    var every = HubTarget.usualPace
    var schema = HubTarget.usualSchema

    /// The longest name of a resource in bytes: PostgreSQL's longest name, less `_live` for the view.
    private static let longestName = 63 - 5

    /// The target with its resources; nil after a fault was noted, here or in the address.
    ///
    /// - Parameter names: all names in `resources:`, including those of faulty resources.
    func target(named name: String, among names: [String], _ reading: inout Reading) -> HubTarget? {
        guard !names.isEmpty else {
            reading.fault(
                "\(subject) publishes nothing: the file has no resources", at: subject.place,
                expected: "one or more resources")
            return nil
        }
        checkResources(among: names, &reading)
        guard let address else { return nil }
        let published = Set(resources?.map(\.value) ?? names)
        if let table = names.first(where: { published.contains($0) && published.contains("\($0)_live") }) {
            reading.fault(
                "\(subject) publishes \(Subject.quoted(table)), whose view there is \(Subject.quoted("\(table)_live")), as is the next resource",
                at: subject.place, expected: "'resources' with one of the two")
            return nil
        }
        var target = HubTarget(
            name, to: address, password: password, station: station,
            resources: names.filter { published.contains($0) })
        (target.every, target.schema) = (every, schema)
        return target
    }

    private func checkResources(among names: [String], _ reading: inout Reading) {
        guard let resources else {
            for resource in names { checkLength(of: resource, at: subject.place, &reading) }
            return
        }
        for resource in resources {
            if names.contains(resource.value) {
                checkLength(of: resource.value, at: resource.place, &reading)
            } else {
                reading.fault(
                    "\(resource.subject) is \(Subject.quoted(resource.value)), which is not a resource of this file",
                    at: resource.place, expected: "one of \(names.joined(separator: ", "))",
                    suggestion: Suggestion.nearest(to: resource.value, among: names))
            }
        }
    }

    private func checkLength(of resource: String, at place: Place, _ reading: inout Reading) {
        guard resource.utf8.count > Self.longestName else { return }
        reading.fault(
            "the name of resource \(Subject.quoted(resource)) is too long for \(subject): a name in PostgreSQL has at most "
                + "63 bytes, and its view there is NAME_live", at: place,
            expected: "a name of at most \(Self.longestName) bytes, or 'resources' without it")
    }
}

// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingInspection
import Siding
import SidingChain
import SidingJSON

/// `siding schema [RESOURCE…]`: shows the members and types of the stored records.
struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Show the members of the stored records, their types and recent changes.",
        discussion: """
            Marks: + first seen after the run before the newest (or after --since), ~ has a type first seen after it. \
            Percentages are of the examined records.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The resources; all of them by default.") var resources: [String] = []
    @Option(help: "The maximum number of records to examine, spread over all; 0 for all.")
    var sample = ResourceSchema.defaultSample
    @Option(help: ArgumentHelp("Mark members and types first seen after this run.", valueName: "run")) var since: Int64?
    @Flag(help: "Print matching columns: and children: as YAML for the resource in siding.yaml.")
    var suggest = false

    func validate() throws {
        if sample < 0 { throw ValidationError("--sample must be 0 or more.") }
        if suggest, resources.count != 1 { throw ValidationError("--suggest is for one resource.") }
    }

    func run() async throws {
        try await options.withStore { _, store in
            if let since, since > (try await store.runs(limit: 1).first?.id ?? 0) {
                throw try await NotFound.run(since, in: store)
            }
            let names = resources.isEmpty ? try await store.resourceStates().map(\.resource) : resources
            for (index, name) in names.enumerated() {
                let schema = try await store.schema(of: name, sample: sample, since: since)
                if options.json {
                    Output.line(Shapes.schema(schema, suggests: suggest).text)
                } else if suggest {
                    Output.write(Array(schema.suggestion.utf8))
                } else {
                    if index > 0 { Output.line("") }
                    print(schema)
                }
            }
        }
    }

    private func print(_ schema: ResourceSchema) {
        let examined = schema.scanned < schema.records ? ", \(MessageFormat.grouped(schema.scanned)) examined" : ""
        Output.line(
            "\(PlainText.oneLine(schema.resource)): \(MessageFormat.count(schema.records, "record"))\(examined)")
        var table = Table(["", "path", "column", "types", ">null", ">missing", "note"])
        for field in schema.fields {
            let types = field.types.map { "\($0.type.rawValue) \(MessageFormat.grouped($0.count))" }.joined(
                separator: ", ")
            table.add([
                field.isNew ? "+" : field.hasNewType ? "~" : "", field.path.description, field.column ?? "", types,
                Self.share(field.nulls, of: schema.scanned), Self.share(field.missing, of: schema.scanned),
                field.problems.joined(separator: "; "),
            ])
        }
        table.print(options.terminal)
        if schema.isCut {
            options.printMessage("only the first \(MessageFormat.grouped(ResourceSchema.maxFields)) fields are listed")
        }
    }

    /// A share such as `12 %`; `<1 %` for shares that would round to zero, empty for none.
    private static func share(_ part: Int, of whole: Int) -> String {
        guard part > 0, whole > 0 else { return "" }
        let percent = part * 100 / whole
        return percent == 0 ? "<1 %" : "\(percent) %"
    }
}

extension Shapes {
    static func schema(_ schema: ResourceSchema, suggests: Bool) -> JSONObject {
        [
            "resource": schema.resource, "records": schema.records, "scanned": schema.scanned,
            "since": schema.since.map { Int($0) }, "fields": schema.fields.map(field), "cut": schema.isCut ? true : nil,
            "suggestion": suggests ? schema.suggestion : nil,
        ]
    }

    private static func field(_ field: ResourceSchema.Field) -> JSONObject {
        var types: JSONObject = [:]
        for type in field.types { types.add(type.type.rawValue, type.count) }
        return [
            "path": field.path.description, "column": field.column, "types": types, "present": field.present,
            "nulls": field.nulls, "missing": field.missing, "new": field.isNew,
            "new_type": field.hasNewType ? true : nil, "problems": !field.problems.isEmpty ? field.problems : nil,
        ]
    }
}

// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import SidingManifest
import Testing

@Suite struct SchemaTests {
    private let schema: SchemaDocument

    init() throws {
        schema = try SchemaDocument(Config.jsonSchema())
    }

    @Test func `the schema names its draft`() throws {
        #expect(schema.root["$schema"] == .string("https://json-schema.org/draft/2020-12/schema"))
    }

    @Test func `every property is described`() throws {
        var undescribed: [String] = []
        schema.root.visitProperties { name, property in
            guard case .string(let text)? = property["description"], !text.isEmpty else {
                undescribed.append(name)
                return
            }
        }
        #expect(undescribed == [])
    }

    @Test func `a config that loads is valid against the schema, with any exchanged value`() async {
        let root = Sample.config
        var refused: [String] = []
        for (path, replacement) in Sample.exchanges {
            await Task.yield()
            let changed = root.replacing(path, with: replacement)
            guard Fixture.faults(changed.yaml).isEmpty, !schema.accepts(changed.value) else { continue }
            refused.append("\(path): \(replacement.yaml)")
        }
        #expect(schema.accepts(root.value))
        #expect(refused == [])
    }

    private static let refused: [([Int], Sample)] = [
        ([0], .word("2")), ([1, 1], .word("full_power")), ([2], .list([])),
        ([2, 0, 2], .map([("type", .word("bearer")), ("token", .word("literal"))])),
        ([2, 0, 2], .map([("type", .word("oauth2_refresh"))])), ([2, 0, 3, 0], .word("30")),
        ([2, 0, 3, 6], .word("'yes'")), ([2, 0, 3, 8], .word("gzip")), ([2, 2, 2, 0], .map([("user", .word("ada"))])),
        ([2, 2, 3, 1], .word("'yes'")), ([2, 2, 3, 4], .word("secret")), ([2, 2, 3, 5], .word("1.1")),
        ([2, 0, 5, 0, 1], .word("50MiB/d")), ([2, 0, 5, 1, 0], .word("50MiB")), ([2, 0, 5, 1, 0], .word("50TiB/d")),
        ([2, 0, 4], .map([("jiter", .word("full"))])), ([3, 0, 2], .word("PUT")), ([3, 0, 5], .word("items")),
        ([3, 0, 7], .word("pages")), ([3, 0, 8], .map([("max_pages", .word("0"))])),
        ([3, 1], .map([("path", .word("/x"))])), ([3], .map([])),
        ([3, 1], .map([("path", .word("/x")), ("key", .word("id")), ("deletes", .word("x"))])),
    ]

    @Test(arguments: refused)
    func `the schema refuses what an editor can see to be wrong`(_ path: [Int], _ replacement: Sample) {
        let changed = Sample.config.replacing(path, with: replacement)
        #expect(!schema.accepts(changed.value))
        #expect(!Fixture.faults(changed.yaml).isEmpty)
    }

    @Test func `the schema is the same text each time`() {
        #expect(Config.jsonSchema() == Config.jsonSchema())
        #expect(Config.jsonSchema().hasSuffix("}\n"))
    }
}

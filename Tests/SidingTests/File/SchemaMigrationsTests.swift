// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingMigrations
import SidingSQLite
import Testing

@Suite struct SchemaMigrationsTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Migrations")

    @Test func `the list of migrations equals the folder, file by file and byte by byte`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter {
            $0.hasSuffix(".sql")
        }.sorted()
        let names = SchemaMigrations.all.map { migration in
            "V\(String(repeating: "0", count: 3 - String(migration.version).count))\(migration.version)_\(migration.name).sql"
        }
        #expect(names == files)
        for (migration, file) in zip(SchemaMigrations.all, files) {
            let text = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
            #expect(migration.sql == text, "\(file)")
        }
    }

    @Test func `each file begins with a header that explains its tables`() {
        for migration in SchemaMigrations.all {
            #expect(migration.sql.hasPrefix("-- "))
            for table in migration.sql.matches(of: /CREATE TABLE (siding_[a-z_]+)/) {
                let header = migration.sql.split(separator: "CREATE TABLE")[0]
                #expect(header.contains(String(table.1)), "\(table.1) in \(migration.name)")
            }
        }
    }

    @Test func `every table is STRICT, and every check has a name`() {
        let sql = SchemaMigrations.all.map(\.sql).joined()
        let tables = sql.matches(of: /CREATE TABLE [\s\S]*?;/).map { String($0.0) }
        #expect(tables.count >= 24)
        for table in tables {
            #expect(table.contains(") STRICT"), "\(table.prefix(40))")
            let checks = table.matches(of: /CHECK \(/).count
            #expect(table.matches(of: /CONSTRAINT [a-z_]+ CHECK \(/).count == checks, "\(table.prefix(40))")
        }
    }
}

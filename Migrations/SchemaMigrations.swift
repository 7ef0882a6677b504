// SPDX-License-Identifier: Apache-2.0
public import SidingSQLite

/// The schema's history: forward only, each file frozen once released.
public enum SchemaMigrations {
    /// All migrations in their order; the position plus one is the version.
    public static let all: [Migration] = [
        Migration(version: 1, name: "schema", sql: text(PackageResources.V001_schema_sql))
    ]

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

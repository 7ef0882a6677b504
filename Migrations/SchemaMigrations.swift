public import SidingSQLite

/// The schema's history: forward only, each file frozen once released.
public enum SchemaMigrations {
    /// All migrations in their order; the position plus one is the version.
    public static let all: [Migration] = [
        Migration(version: 1, name: "records", sql: text(PackageResources.V001_records_sql)),
        Migration(version: 2, name: "listings", sql: text(PackageResources.V002_listings_sql)),
        Migration(version: 3, name: "runs", sql: text(PackageResources.V003_runs_sql)),
        Migration(version: 4, name: "queue", sql: text(PackageResources.V004_queue_sql)),
        Migration(version: 5, name: "leases", sql: text(PackageResources.V005_leases_sql)),
        Migration(version: 6, name: "responses", sql: text(PackageResources.V006_responses_sql)),
        Migration(version: 7, name: "text_search", sql: text(PackageResources.V007_text_search_sql)),
        Migration(version: 8, name: "revisions", sql: text(PackageResources.V008_revisions_sql)),
        Migration(version: 9, name: "writes", sql: text(PackageResources.V009_writes_sql)),
        Migration(version: 10, name: "edits", sql: text(PackageResources.V010_edits_sql)),
        Migration(version: 11, name: "probes", sql: text(PackageResources.V011_probes_sql)),
        Migration(version: 12, name: "sign_ins", sql: text(PackageResources.V012_sign_ins_sql)),
        Migration(version: 13, name: "forgotten_keys", sql: text(PackageResources.V013_forgotten_keys_sql)),
        Migration(version: 14, name: "cursors", sql: text(PackageResources.V014_cursors_sql)),
        Migration(version: 15, name: "columns", sql: text(PackageResources.V015_columns_sql)),
        Migration(version: 16, name: "scopes", sql: text(PackageResources.V016_scopes_sql)),
        Migration(version: 17, name: "changes", sql: text(PackageResources.V017_changes_sql)),
        Migration(version: 18, name: "budgets", sql: text(PackageResources.V018_budgets_sql)),
        Migration(version: 19, name: "history", sql: text(PackageResources.V019_history_sql)),
        Migration(version: 20, name: "freshness", sql: text(PackageResources.V020_freshness_sql)),
        Migration(version: 21, name: "deletions", sql: text(PackageResources.V021_deletions_sql)),
        Migration(version: 22, name: "rounds", sql: text(PackageResources.V022_rounds_sql)),
        Migration(version: 23, name: "inquiries", sql: text(PackageResources.V023_inquiries_sql)),
        Migration(version: 24, name: "answers", sql: text(PackageResources.V024_answers_sql)),
        Migration(version: 25, name: "round_proofs", sql: text(PackageResources.V025_round_proofs_sql)),
        Migration(version: 26, name: "addresses", sql: text(PackageResources.V026_addresses_sql)),
        Migration(version: 27, name: "page_traces", sql: text(PackageResources.V027_page_traces_sql)),
        Migration(version: 28, name: "unfit", sql: text(PackageResources.V028_unfit_sql)),
        Migration(version: 29, name: "gone_is_done", sql: text(PackageResources.V029_gone_is_done_sql)),
        Migration(version: 30, name: "allowances", sql: text(PackageResources.V030_allowances_sql)),
        Migration(version: 31, name: "known", sql: text(PackageResources.V031_known_sql)),
    ]

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

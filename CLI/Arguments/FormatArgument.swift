// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// The value of `--format`.
enum FormatArgument {
    /// Reads one of a command's formats.
    ///
    /// - Throws: `ValidationError` that lists the formats, or says how to make Parquet.
    static func read<Format: RawRepresentable & CaseIterable>(_ text: String) throws -> Format
    where Format.RawValue == String {
        if text == "parquet" { throw parquet }
        guard let format = Format(rawValue: text) else {
            throw ValidationError("it must be one of \(Format.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return format
    }

    static let parquet = ValidationError(
        """
        Siding does not write Parquet. DuckDB makes it from an export: siding export NAME -o name.jsonl, then \
        duckdb -c "COPY (FROM 'name.jsonl') TO 'name.parquet'"
        """)
}

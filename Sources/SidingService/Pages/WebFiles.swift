// SPDX-License-Identifier: Apache-2.0
internal import Mustache

/// The templates of the pages.
struct WebFiles {
    private static var templates: [(name: String, bytes: [UInt8])] {
        [
            ("badge", PackageResources.badge_mustache), ("chart", PackageResources.chart_mustache),
            ("confirm", PackageResources.confirm_mustache), ("entry", PackageResources.entry_mustache),
            ("facts", PackageResources.facts_mustache), ("layout", PackageResources.layout_mustache),
            ("overview", PackageResources.overview_mustache), ("problem", PackageResources.problem_mustache),
            ("quarantine", PackageResources.quarantine_mustache),
            ("quarantined", PackageResources.quarantined_mustache), ("queue", PackageResources.queue_mustache),
            ("record", PackageResources.record_mustache), ("records", PackageResources.records_mustache),
            ("resource", PackageResources.resource_mustache), ("run", PackageResources.run_mustache),
            ("runs", PackageResources.runs_mustache), ("runs_table", PackageResources.runs_table_mustache),
            ("time", PackageResources.time_mustache),
        ]
    }

    /// Every template begins with its way of escaping: that of the library misses a quote that carries an accent.
    static func library() throws -> MustacheLibrary {
        MustacheContentTypes.register(HTMLText(), named: HTMLText.name)
        var library = MustacheLibrary()
        for (name, bytes) in templates {
            let text = String(decoding: bytes, as: UTF8.self)
            try library.register("{{% CONTENT_TYPE: \(HTMLText.name)}}\(text)", named: name)
        }
        return library
    }
}

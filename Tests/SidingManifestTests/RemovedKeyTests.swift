// SPDX-License-Identifier: Apache-2.0
import SidingManifest
import Testing

/// A config with a key of an earlier release gets the sentence that says what holds instead.
@Suite struct RemovedKeyTests {
    /// The lines of a config with each removed key, and where the key stands.
    static let uses: KeyValuePairs<String, (source: String, resource: String, place: String)> = [
        "retry.factor": ("retry: { factor: 3 }", "", "5:14: 'factor' in 'retry' of source 'blog'"),
        "retry.jitter": ("retry: { base: 1s, jitter: none }", "", "5:24: 'jitter' in 'retry' of source 'blog'"),
        "http.max_values": ("http: { max_values: 8 }", "", "5:13: 'max_values' in 'http' of source 'blog'"),
        "http.max_depth": ("http: { max_depth: 8 }", "", "5:13: 'max_depth' in 'http' of source 'blog'"),
        "idempotency.format": (
            "idempotency: { format: quoted }", "", "5:20: 'format' in 'idempotency' of source 'blog'"
        ),
        "resume_within": ("", "resume_within: 6h", "10:5: 'resume_within' in resource 'posts'"),
        "query_encoding.bool": (
            "", "query_encoding: { bool: text }", "10:23: 'bool' in 'query_encoding' of resource 'posts'"
        ),
        "query_encoding.array": (
            "", "query_encoding: { array: comma }", "10:23: 'array' in 'query_encoding' of resource 'posts'"
        ),
    ]

    private static func faults(source: String = "", resource: String = "") -> [String] {
        Fixture.faults(
            """
            version: 1
            sources:
              blog:
                base_url: https://example.com
                \(source)
            resources:
              posts:
                path: /posts
                key: id
                \(resource)
            """)
    }

    @Test func `a removed key is reported with its replacement`() {
        for (key, use) in Self.uses {
            let sentence = RemovedKey.replacements.first { $0.key == key }?.value ?? ""
            #expect(
                Self.faults(source: use.source, resource: use.resource)
                    == ["siding.yaml:\(use.place) is not a key any longer: \(sentence)"])
        }
        #expect(Self.uses.map(\.key) == RemovedKey.replacements.map(\.key))
    }

    @Test func `each removed member of an encoding has its fault, and one that never was has another`() {
        #expect(Self.faults(resource: "query_encoding: { bool: text, array: plain }").count == 2)
        let unknown = Self.faults(resource: "query_encoding: { booleans: text }")
        #expect(
            unknown == [
                "siding.yaml:10:21: 'query_encoding' in resource 'posts' is a map; expected brackets or plain"
            ])
    }

    @Test func `the same word elsewhere is a key as before`() {
        let resource = "schedule: { every: 1h, jitter: 5m }\n    columns: { at: { type: datetime, format: epoch } }"
        #expect(Self.faults(resource: resource) == [])
        #expect(Self.faults(source: "http: { factor: 2 }").first?.contains("unknown key 'factor'") == true)
    }
}

/// The kinds of sources that can be turned into a `siding.yaml`.
public enum ImportFormat: String, Sendable, CaseIterable {
    /// A dlt REST source: the dictionary that `rest_api_source` is given, as JSON or YAML.
    case dlt
    /// An Airbyte low-code manifest, `manifest.yaml`.
    case airbyte

    /// What such a file is called, for a person.
    var noun: String {
        switch self {
        case .dlt: "a dlt REST source"
        case .airbyte: "an Airbyte low-code manifest"
        }
    }
}

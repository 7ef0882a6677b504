// SPDX-License-Identifier: Apache-2.0
/// The formats that can be converted to a `siding.yaml`.
public enum ImportFormat: String, Sendable, CaseIterable {
    /// A dlt REST source: the argument of `rest_api_source`, as JSON or YAML.
    case dlt
    /// An Airbyte low-code manifest, `manifest.yaml`.
    case airbyte

    /// The format's name in messages.
    var noun: String {
        switch self {
        case .dlt: "a dlt REST source"
        case .airbyte: "an Airbyte low-code manifest"
        }
    }
}

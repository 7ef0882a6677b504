// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
public import SidingManifest

/// A config converted from another program's description of a source.
///
/// The conversion is incomplete, but says so: `config` always passes `siding check`, and `unmapped` lists what it lacks.
public struct ConfigImport: Sendable, Hashable {
    /// The text of a `siding.yaml`, with omitted parts as comments in their place.
    public var config: String
    /// The parts that were omitted or changed, in file order.
    public var unmapped: [Unmapped]
    /// The environment variables that must be set, sorted.
    public var variables: [String] = []

    /// The maximum size of the file in bytes.
    public static let sizeLimit = 4 << 20

    /// Converts the file at `path`.
    ///
    /// - Throws: ``ImportError``.
    public static func load(
        path: String, format: ImportFormat, environment: ConfigEnvironment
    ) throws(ImportError) -> ConfigImport {
        let text: String
        do { text = try environment.text(ofFile: path, limit: sizeLimit) } catch {
            if error.isMissing { throw .missing(path: path) }
            throw error.isContent
                ? .refused(["\(path): \(error.reason)"]) : .unreadable(path: path, reason: error.reason)
        }
        return try read(text, file: path, format: format)
    }

    /// Converts `text`.
    ///
    /// - Parameter file: the file name in positions.
    /// - Throws: ``ImportError/refused(_:)`` if it is not in that format, or none of its resources can be converted.
    public static func read(
        _ text: String, file: String, format: ImportFormat
    ) throws(ImportError) -> ConfigImport {
        guard text.utf8.count <= sizeLimit else {
            throw .refused(["\(file): is too large; the limit is \(sizeLimit / 1024) KiB"])
        }
        let document = YAMLDocument(text, file: file)
        guard document.faults.isEmpty, let node = document.root, !node.isNull else {
            let lines = document.faults.map(\.description)
            throw .refused(lines.isEmpty ? ["\(file):1:1: the file is empty, and is not \(format.noun)"] : lines)
        }
        let root = InputNode(node, path: "")
        var imported = ImportedConfig(format: format, file: file)
        switch format {
        case .dlt: try DltSource(root).add(to: &imported)
        case .airbyte: try AirbyteSource(root).add(to: &imported)
        }
        return try imported.makeImport()
    }
}

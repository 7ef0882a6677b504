// SPDX-License-Identifier: Apache-2.0
internal import Siding

extension Config {
    /// The maximum size of a config file in bytes.
    package static let sizeLimit = 1 << 20

    /// Loads the config at `path`.
    ///
    /// - Throws: ``ConfigError/unreadable(path:reason:)`` unless it is a regular file of UTF-8 text with at most 1 MiB,
    ///   otherwise ``ConfigError/invalid(_:)`` with all faults.
    public static func load(
        path: String, environment: ConfigEnvironment
    ) throws(ConfigError) -> Config {
        let text: String
        do { text = try environment.text(ofFile: path, limit: sizeLimit) } catch {
            throw .unreadable(path: path, reason: error.reason)
        }
        return try parse(text, file: path, environment: environment)
    }

    /// Parses a config from `text`.
    ///
    /// - Parameter file: the path for messages; relative paths in the config start at its directory.
    /// - Throws: ``ConfigError/invalid(_:)`` with all faults, in file order.
    public static func parse(
        _ text: String, file: String, environment: ConfigEnvironment
    ) throws(ConfigError) -> Config {
        guard text.utf8.count <= sizeLimit else {
            throw .unreadable(path: file, reason: "is too large; the limit is \(sizeLimit / 1024) KiB")
        }
        let document = YAMLDocument(text, file: file)
        var reading = Reading(file: file, environment: environment, faults: document.faults)
        guard let root = document.root, !root.isNull else {
            if document.faults.isEmpty {
                reading.fault(
                    "the file is empty", at: reading.subject.place,
                    expected: "version, sources, and resources or writes")
            }
            throw .invalid(reading.sortedFaults)
        }
        guard let declaration = ConfigGrammar.shape.type.read(root, &reading) else {
            throw .invalid(reading.sortedFaults)
        }
        let resources = declaration.boundResources(&reading)
        let writes = declaration.boundWrites(to: resources, &reading)
        let targets = declaration.boundTargets(of: resources, &reading)
        guard reading.faults.isEmpty else { throw .invalid(reading.sortedFaults) }
        let written = resources.map { resource in
            var resource = resource
            resource.writes = writes.filter { $0.name == resource.name }
            return resource
        }
        return Config(file: file, declaration, resources: written, writes: writes, targets: targets, reading)
    }
}

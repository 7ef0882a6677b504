// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import SidingSynchronization

/// The environment of a config: variables, working directory and home directory.
public struct ConfigEnvironment: Sendable {
    /// Called again whenever a secret is read.
    public var variables: @Sendable () -> [String: String]
    /// An absolute path, where relative config paths start.
    public var workingDirectory: String
    /// An absolute path that replaces a leading `~/`; nil if there is none.
    public var home: String?
    /// The machine's name, on which the jitter of schedules depends.
    var machine = ProcessInfo.processInfo.hostName

    /// An environment whose variables never change, as for a test.
    public init(variables: [String: String], workingDirectory: String, home: String? = nil) {
        self.init(workingDirectory: workingDirectory, home: home) { variables }
    }

    /// An environment whose variables are asked for again with each secret, so that a changed one is used at once.
    public init(
        workingDirectory: String, home: String? = nil, variables: @escaping @Sendable () -> [String: String]
    ) {
        (self.variables, self.workingDirectory, self.home) = (variables, workingDirectory, home)
    }

    /// The environment of this process.
    public static var process: ConfigEnvironment {
        let home = ProcessInfo.processInfo.environment["HOME"]
        return ConfigEnvironment(
            workingDirectory: FileManager.default.currentDirectoryPath, home: home.flatMap { $0.isEmpty ? nil : $0 }
        ) { ProcessInfo.processInfo.environment }
    }

    /// Makes `path` absolute: a leading `~/` is the home directory, a relative path starts at `directory`.
    ///
    /// Nil if `path` begins with `~/` and there is no home directory.
    func absolute(_ path: String, in directory: String) -> String? {
        if path.hasPrefix("/") { return path }
        if path.hasPrefix("~/") { return home.map { Self.join($0, String(path.dropFirst(2))) } }
        return Self.join(directory, path)
    }

    /// The absolute path of a config file named on the command line; `~` is left to the shell.
    package func path(ofFile path: String) -> String {
        path.hasPrefix("/") ? path : Self.join(workingDirectory, path)
    }

    /// Reads a text file named on the command line.
    package func text(ofFile path: String, limit: Int) throws(BoundedFile.ReadError) -> String {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw BoundedFile.ReadError(reason: "is not a valid path") }
        let bytes = try BoundedFile(path: self.path(ofFile: path), limit: limit).read()
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw BoundedFile.ReadError(reason: "is not UTF-8 text", isContent: true)
        }
        return text
    }

    /// The absolute directory of a config file.
    func directory(ofFile path: String) -> String {
        FileSystem.parent(of: self.path(ofFile: path))
    }

    private static func join(_ directory: String, _ path: String) -> String {
        let rest = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return directory.hasSuffix("/") ? directory + rest : "\(directory)/\(rest)"
    }
}

internal import FoundationEssentials

/// What a configuration may ask of the process that reads it: variables, the working directory, the home directory.
public struct ManifestEnvironment: Sendable {
    /// Asked for anew whenever a secret is read.
    public var variables: @Sendable () -> [String: String]
    /// An absolute path; relative configuration paths start here.
    public var workingDirectory: String
    /// An absolute path for which a leading `~/` stands; nil where there is none.
    public var home: String?

    public init(variables: [String: String], workingDirectory: String, home: String? = nil) {
        self.init(workingDirectory: workingDirectory, home: home) { variables }
    }

    public init(
        workingDirectory: String, home: String? = nil, variables: @escaping @Sendable () -> [String: String]
    ) {
        self.variables = variables
        self.workingDirectory = workingDirectory
        self.home = home
    }

    /// The running process's own.
    public static var process: ManifestEnvironment {
        let home = ProcessInfo.processInfo.environment["HOME"]
        return ManifestEnvironment(
            workingDirectory: FileManager.default.currentDirectoryPath, home: home.flatMap { $0.isEmpty ? nil : $0 }
        ) { ProcessInfo.processInfo.environment }
    }

    /// `path` as an absolute one: a leading `~/` is the home directory, a relative path starts at `directory`.
    ///
    /// Nil where `path` begins with `~/` and there is no home directory.
    func absolute(_ path: String, in directory: String) -> String? {
        if path.hasPrefix("/") { return path }
        if path.hasPrefix("~/") { return home.map { Self.join($0, String(path.dropFirst(2))) } }
        return Self.join(directory, path)
    }

    /// The absolute path of a configuration that was named by `path`, where `~` is for the shell to expand.
    package func path(ofFile path: String) -> String {
        path.hasPrefix("/") ? path : Self.join(workingDirectory, path)
    }

    /// The absolute directory of a configuration that was named by `path`.
    func directory(ofFile path: String) -> String {
        let file = self.path(ofFile: path)
        guard let slash = file.lastIndex(of: "/"), slash != file.startIndex else { return "/" }
        return String(file[..<slash])
    }

    private static func join(_ directory: String, _ path: String) -> String {
        let rest = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return directory.hasSuffix("/") ? directory + rest : "\(directory)/\(rest)"
    }
}

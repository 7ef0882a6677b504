// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The programs of an installed PostgreSQL server.
enum PostgreSQLPrograms {
    private static let names = ["initdb", "pg_ctl", "postgres", "createdb", "psql"]

    /// Finds the folder with all of them: the first in `path`, else that of the newest version. Debian and PostgreSQL's own packages
    /// keep them out of PATH.
    ///
    /// - Parameters:
    ///   - path: folders with colons between them, as in `$PATH`.
    ///   - usr: the directory below which packages install.
    /// - Throws: ``CommandError`` with code 78 and what to install.
    static func folder(
        path: String = ProcessInfo.processInfo.environment["PATH"] ?? "", usr: String = "/usr"
    ) throws -> String {
        let folders = path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") } + packaged(usr)
        let found = folders.first { folder in
            names.allSatisfy { FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)") }
        }
        guard let found else {
            throw CommandError(
                .config, "postgresql", "PostgreSQL is not installed: there is no folder with \(list(names))",
                hint: "sudo apt install postgresql")
        }
        return found
    }

    /// The folders of packages, the newest version first.
    private static func packaged(_ usr: String) -> [String] {
        func versions(in directory: String, _ prefix: String) -> [(version: Int, folder: String)] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
            return names.filter { $0.hasPrefix(prefix) }.compactMap { name in
                Int(name.dropFirst(prefix.count)).map { ($0, "\(directory)/\(name)/bin") }
            }
        }
        let all = versions(in: "\(usr)/lib/postgresql", "") + versions(in: usr, "pgsql-")
        return all.sorted { $0.version > $1.version }.map(\.folder)
    }

    private static func list(_ names: [String]) -> String {
        names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }
}

// SPDX-License-Identifier: Apache-2.0
import SidingSynchronization

/// A directory with a config and a database in it, gone at the end.
final class Workplace {
    let path: String
    var database: String { path + "/queue.db" }
    /// What makes a command work here.
    var options: [String] { ["--config", path + "/siding.yaml"] }

    /// - Parameter origin: where the one source, `van`, lies.
    init(origin: String) throws {
        var template = Array("bench-data/queue-XXXXXX".utf8CString)
        mkdir("bench-data", 0o700)
        guard let made = mkdtemp(&template), let whole = realpath(made, nil) else {
            throw ChildProgram.NotStarted(program: "mkdtemp", code: errno)
        }
        path = String(cString: whole)
        free(whole)
        let config = """
            version: 1
            database: { path: queue.db }
            sources: { van: { base_url: \(origin), http: { allow_plain_http: true } } }
            resources: { items: { path: /items, key: id } }

            """
        let descriptor = open(path + "/siding.yaml", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        _ = write(descriptor, config, config.utf8.count)
        close(descriptor)
    }

    deinit {
        _ = try? ChildProgram.run(["rm", "-rf", path])
    }
}

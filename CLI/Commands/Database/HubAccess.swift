// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingHub

/// Whether the targets of `publish:` can be reached and written, for `siding doctor`.
enum HubAccess {
    static func findings(for targets: [HubTarget]) async -> [Finding] {
        var findings: [Finding] = []
        for target in targets {
            func add(_ level: Finding.Level, _ message: String, _ status: ExitStatus? = nil) {
                findings.append(
                    Finding(check: "hub", level: level, message: "\(target.name): \(message)", status: status))
            }
            do throws(HubError) {
                let found = try await target.examine()
                add(
                    .good,
                    "\(target.address): signs in as \(found.role), \(found.hasTLS ? "with" : "without") TLS; libpq "
                        + found.libraryVersion)
                if found.missingRights.isEmpty {
                    add(.good, "the role has all rights that a publication needs")
                } else {
                    add(
                        .bad,
                        "the role \(found.role) lacks \(found.missingRights.joined(separator: "; ")); grant it there; "
                            + "'siding publish \(target.name) --ddl' prints the SQL of the tables", .refused)
                }
                let difference = found.clockDifference
                if difference > MessageFormat.clockTolerance || .zero - difference > MessageFormat.clockTolerance {
                    let amount = MessageFormat.duration(difference < .zero ? .zero - difference : difference)
                    add(
                        .warning,
                        "its clock is \(amount) \(difference < .zero ? "behind" : "ahead of") this machine's")
                }
            } catch {
                let hint = error.hint.map { "; \($0)" } ?? ""
                // As for a source: the line is down, and nothing is lost.
                let isDown = error.kind == .unavailable
                add(
                    isDown ? .warning : .bad, "\(target.address): \(error.message)\(hint)",
                    isDown ? nil : ExitStatus(error))
            }
        }
        return findings
    }
}

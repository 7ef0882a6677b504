// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingHub
import SidingInspection

extension ExitStatus {
    /// The exit code for a publication that failed.
    init(_ error: HubError) {
        self =
            switch error.kind {
            case .unavailable: .queued
            case .signIn: .signIn
            case .config: .config
            case .refused, .foreign: .refused
            case .deletionGuard: .deletionGuard
            case .cancelled: .interrupted
            case .store: .inputOutput
            }
    }
}

extension HubError {
    var object: JSONObject {
        ["code": Int(ExitStatus(self).rawValue), "name": name, "message": message, "hint": hint]
    }

    /// A stable name for scripts.
    var name: String {
        switch kind {
        case .unavailable: "unavailable"
        case .signIn: "sign_in"
        case .config: "config"
        case .refused: "refused"
        case .foreign: "foreign"
        case .deletionGuard: "deletion_guard"
        case .cancelled: "cancelled"
        case .store(let kind): kind.rawValue
        }
    }
}

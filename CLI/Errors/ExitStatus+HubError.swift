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
            case .locked: .locked
            case .cancelled: .interrupted
            case .store: .inputOutput
            }
    }
}

extension HubError {
    var object: JSONObject {
        ["code": Int(ExitStatus(self).rawValue), "name": name, "message": message, "hint": hint]
    }
}

// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Siding
internal import SidingInspection

/// Why a request is refused, or could not be answered.
struct ServiceProblem: Error {
    var status: HTTPResponse.Status
    /// A stable name for scripts.
    var name: String
    var message: String
    var hint: String?
    /// Further header fields of the answer.
    var fields = HTTPFields()

    init(_ status: HTTPResponse.Status, _ name: String, _ message: String, hint: String? = nil) {
        (self.status, self.name, self.message, self.hint) = (status, name, message, hint)
    }

    /// - Parameter error: what a handler threw.
    init(_ error: any Error) {
        switch error {
        case let problem as ServiceProblem: self = problem
        case let error as NotFound: self.init(.notFound, "not_found", error.message, hint: error.hint)
        case let error as StoreError:
            self.init(Self.status(error.kind), error.kind.rawValue, error.message, hint: error.hint)
        default:
            self.init(
                .internalServerError, "internal", String(describing: error), hint: "this is a bug: please report it")
        }
    }

    private static func status(_ kind: StoreError.Kind) -> HTTPResponse.Status {
        switch kind {
        case .notFound: .notFound
        case .ambiguous, .invalidQuery, .invalidName, .invalidWrite: .badRequest
        case .leaseLost, .outdated, .contract, .refused: .conflict
        case .full, .busy, .inaccessible, .inputOutput, .cancelled, .timeLimit: .serviceUnavailable
        default: .internalServerError
        }
    }

    static func usage(_ message: String, hint: String? = nil) -> ServiceProblem {
        ServiceProblem(.badRequest, "usage", message, hint: hint)
    }

    static let noPage = ServiceProblem(.notFound, "not_found", "there is no such page", hint: "the overview is at /")

    /// The commands' error object; `code` is the status, where commands have their exit code.
    var object: JSONObject {
        let error: JSONObject = ["code": status.code, "name": name, "message": message, "hint": hint]
        return ["error": error]
    }
}

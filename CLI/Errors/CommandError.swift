// SPDX-License-Identifier: Apache-2.0
import Foundation
import Siding
import SidingChain
import SidingHub
import SidingInspection
import SidingManifest
import SidingService

/// Why a command failed: exit code, message and hint.
struct CommandError: Error {
    var status: ExitStatus
    /// A stable name for scripts.
    var name: String
    var message: String
    var hint: String?
    /// The position in the config, such as `siding.yaml:12:5`.
    var place: String?

    init(_ status: ExitStatus, _ name: String, _ message: String, hint: String? = nil, place: String? = nil) {
        self.status = status
        self.name = name
        self.message = message
        self.hint = hint
        self.place = place
    }

    /// A mistake on the command line.
    static func usage(_ message: String, hint: String? = nil) -> CommandError {
        CommandError(.usage, "usage", message, hint: hint)
    }

    /// Something that the command line names does not exist.
    static func notFound(_ message: String, hint: String? = nil) -> CommandError {
        CommandError(.notFound, "not_found", message, hint: hint)
    }

    /// Maps an error of the library to an exit code and a message.
    init(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as StoreError: self.init(error)
        case let error as NotFound: self.init(.notFound, "not_found", error.message, hint: error.hint)
        case let error as ConfigError: self.init(error)
        case let error as ServiceError: self.init(error)
        case let error as HubError: self.init(ExitStatus(error), error.name, error.message, hint: error.hint)
        case let error as Failure:
            self.init(ExitStatus(error), error.reason.name, error.description)
        case is CancellationError: self.init(.interrupted, "cancelled", "stopped")
        default: self.init(.software, "internal", String(describing: error), hint: "this is a bug: please report it")
        }
    }

    private init(_ error: StoreError) {
        let status: ExitStatus =
            switch error.kind {
            case .notFound, .ambiguous: .notFound
            case .cancelled: .interrupted
            case .invalidQuery, .invalidWrite: .usage
            case .timeLimit, .outdated, .refused: .failure
            case .leaseLost: .locked
            case .invalidName: .config
            case .contract: .data
            case .closed, .full, .busy, .inaccessible, .foreign, .newer, .corrupt, .unsupported, .inputOutput:
                .inputOutput
            }
        self.init(status, error.kind.rawValue, error.message, hint: error.hint)
    }

    private init(_ error: ServiceError) {
        let status: ExitStatus =
            switch error.kind {
            case .invalidAddress, .tokenRequired: .usage
            case .invalidToken: .config
            case .addressInUse, .addressUnavailable: .inputOutput
            case .invalidPages: .software
            }
        self.init(status, error.kind.rawValue, error.message, hint: error.hint)
    }

    private init(_ error: ConfigError) {
        switch error {
        case .unreadable(let path, _):
            let hint =
                FileManager.default.fileExists(atPath: path)
                ? "move it away, or let 'siding init --force URL' replace it"
                : "'siding init' writes one that works"
            self.init(.config, "config", error.description, hint: hint)
        case .invalid(let faults):
            self.init(
                .config, "config", faults.map(\.description).joined(separator: "\n"),
                place: faults.first?.place.description)
        }
    }
}

extension ExitStatus {
    /// The exit code for a failed resource.
    init(_ failure: Failure) {
        if failure.asksForSignIn {
            self = .signIn
            return
        }
        switch failure.reason {
        case .waitingForOrigin where failure.underlying is TrafficSpent: self = .queued
        case .contract, .tooLarge, .badContent, .truncated: self = .data
        case .credentialUnavailable, .invalidRequest: self = .config
        case .proxyAuthentication: self = .signIn
        case .http(let answer): self.init(answer)
        case .cancelled: self = .interrupted
        case .internalFault: self = .software
        case .hostNotFound, .tlsUntrusted, .redirectRefused: self = .refused
        // Temporary failures that were not retained in the queue have no exit code of their own.
        case .noInternetConnection, .captivePortal, .timeout, .cantConnectToHost, .temporaryDNS, .tlsHandshake,
            .proxyUnreachable, .proxyFault, .localResource, .connectionLost, .notProcessed, .protocolViolation,
            .waitingForOrigin, .notCached, .userCode, .storage,
            .system:
            self = .failure
        }
    }

    /// The exit code for an error response.
    private init(_ answer: HTTPFailure) {
        switch answer.statusClass {
        case .unauthorized: self = .signIn
        case .backOff, .serverError, .requestTimeout, .tooEarly, .insufficientStorage, .portal: self = .failure
        case .notImplemented, .conflict, .gone, .refused, .unexpected: self = .refused
        }
    }
}

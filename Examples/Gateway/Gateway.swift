// SPDX-License-Identifier: Apache-2.0
// A gateway: the one type of a program that knows how a tracker's HTTP looks. Above it there are issues, drafts and
// errors of the program's own; below it one builder says once what all requests have in common.
//
// The tracker puts what it gives into an envelope, `{"data": …}`, and says no as `{"code": "…", "message": "…"}`.
//
//     swift run GatewayExample http://127.0.0.1:8080 photo.jpg

import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingJSON
import SidingNodes

struct Issue: Codable, Sendable {
    let id: Int
    let title: String
    struct Draft: Codable, Sendable {
        let title: String
    }
}

struct Attachment: Codable, Sendable {
    let name: String
    let size: Int
}

/// The tracker's own way to say no.
struct Refusal: Error, Codable, Sendable {
    let code: String
    let message: String
}

/// All that a caller of the gateway has to know of errors.
enum GatewayError: Error, CustomStringConvertible {
    /// The tracker answered no, in its own words.
    case refused(Refusal)
    /// Everything else: no line, no patience left, an answer that is not the tracker's.
    case failed(Failure)

    init(_ failure: Failure) {
        self = (failure.underlying as? Refusal).map(Self.refused) ?? .failed(failure)
    }

    var description: String {
        switch self {
        // On one line: text from outside shall not look like lines of ours.
        case .refused(let refusal): PlainText.oneLine("\(refusal.code): \(refusal.message)")
        case .failed(let failure): failure.description
        }
    }
}

struct IssueGateway: Sendable {
    private let requests: URLChainBuilder

    init(_ base: String) throws(Failure) {
        requests = try URLChainBuilder(baseURL: base).envelope(at: "$.data")
            .errors(ResponseErrorEnvelopeNode(reading: Refusal.self) { refusal, _ in refusal })
    }

    func issue(_ id: Int) async throws(GatewayError) -> Issue {
        try await answer(of: requests.route(.get, "/issues/{id}").build(.path { ["id": "\($0)"] }, .json), to: id)
    }

    func create(_ draft: Issue.Draft) async throws(GatewayError) -> Issue {
        try await answer(of: requests.route(.post, "/issues").build(), to: draft)
    }

    /// Uploads a file, which is read while it is sent.
    ///
    /// - Parameter progress: told from 0 to 1; at most once per percent.
    func attach(
        _ file: String, to issue: Issue, progress: @escaping @Sendable (Double) -> Void
    ) async throws(GatewayError) -> Attachment {
        var form = MultipartForm()
        form.append(file: file, name: "file")
        let attach = requests.route(.post, "/issues/{id}/attachments", parameters: ["id": "\(issue.id)"])
            .reportProgress(upload: { sent in progress(sent.fraction ?? 0) })
        return try await answer(of: attach.build(), to: form)
    }

    private func answer<Input, Output>(
        of chain: Chain<Input, Output>, to input: Input
    ) async throws(GatewayError) -> Output {
        do throws(Failure) { return try await chain(input) } catch { throw GatewayError(error) }
    }
}

@main
struct Gateway {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            let gateway = try IssueGateway(arguments.first ?? "http://127.0.0.1:8080")
            print("first: \(try await gateway.issue(1).title)")
            let created = try await gateway.create(Issue.Draft(title: "The gate does not close"))
            print("created: \(created.id)")
            let file = arguments.count > 1 ? arguments[1] : "README.md"
            let attached = try await gateway.attach(file, to: created) { print("sent: \(Int($0 * 100)) %") }
            print("attached: \(attached.name), \(attached.size) bytes")
            print("created again: \(try await gateway.create(Issue.Draft(title: "")).id)")
        } catch GatewayError.refused(let refusal) where refusal.code == "empty_title" {
            // Decided by the tracker's code, not by a status.
            print("an issue needs a title")
        } catch {
            print(error)
            exit(1)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Calls that stay signed in, whoever else shares the account: many calls in many processes make one refresh.
//
// The access token lives in a file that all processes with one state directory share. When the origin says 401, one call
// of one process refreshes it, the others wait, and all go out again. The first refresh token is read from the
// environment; afterwards the file counts, as each refresh spends the token before it.
//
//     REFRESH_TOKEN=… swift run TokenRefreshExample http://127.0.0.1:8080 state 12
//
// ends with 0 where every call succeeded, else with 1.

import Foundation
import HTTPTypes
import SidingChain
import SidingCredentials
import SidingHTTP
import SidingNetwork
import SidingNodes

/// A step of the program's own: gives each request the name of its call, so that the origin's log can be read beside ours.
///
/// It stands in the request half, which runs once per call: a request that goes out twice has one name.
struct RequestIDNode: Node {
    private let field = HTTPField.Name("X-Request-ID")

    func process(_ draft: RequestDraft, _ context: ChainContext) async throws(Failure) -> RequestDraft {
        var draft = draft
        if let field { draft.headerFields[field] = context.requestID }
        return draft
    }
}

/// RFC 6749 §6.
struct RefreshForm: Encodable, Sendable {
    let grantType = "refresh_token"
    let refreshToken: String?

    enum CodingKeys: String, CodingKey {
        case grantType = "grant_type"
        case refreshToken = "refresh_token"
    }
}

struct Account: Decodable, Sendable {
    let name: String
}

struct Accounts: Sendable {
    /// Who is signed in.
    let me: Chain<Void, Account>

    init(_ base: HTTPURL, state: String, over transport: any Transport) {
        var assembly = ChainAssembly(transport: transport, connectivity: LinuxConnectivity())
        // Made before `access` is set: the refresh is a chain like any other, but it is not signed in.
        let token = URLChainBuilder(assembly).route(.post, "/token", under: base).encode(as: .formURL)
        let refresh = MapNode { (spent: Credential) in RefreshForm(refreshToken: spent.refreshToken) }
            .then(token.buildDataLoading(RefreshForm.self))
            .map { answer in try TokenGrant(parsing: answer.bytes ?? []) }
        var access = AccessSettings(
            account: "example", store: FileCredentialStore(directory: "\(state)/credentials"),
            refresher: TokenRefresherNode(refresh))
        access.gate = FileRefreshGate(directory: "\(state)/credentials")
        // Without an access token: a refresh comes before the first call.
        access.initial = { Self.refreshToken.map { Credential(accessToken: "", refreshToken: $0) } }
        assembly.access = AccessSafety(access)
        let request = RequestRouterNode<Void> { RequestDraft(route: try Route(.get, "/me", under: base)) }
            .then(RequestIDNode())
        let answer = ResponseDataLoaderNode().then(ResponseDataParserNode()).then(DecodeNode<Account>())
        me = assembly.chain(from: request, to: answer)
    }

    private static var refreshToken: String? { ProcessInfo.processInfo.environment["REFRESH_TOKEN"] }
}

@main
struct TokenRefresh {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let state = arguments.count > 1 ? arguments[1] : "state"
        let count = arguments.count > 2 ? Int(arguments[2]) ?? 12 : 12
        let accounts: Accounts
        do {
            accounts = Accounts(
                try HTTPURL(arguments.first ?? "http://127.0.0.1:8080"), state: state, over: HTTPTransport())
        } catch {
            print(error)
            exit(1)
        }
        let failures = await failures(of: count, accounts.me)
        print("\(count - failures.count) of \(count) calls succeeded")
        // Calls that waited for the same refresh fail for the same reason: said once.
        for failure in Set(failures.map(\.description)).sorted() { print(failure) }
        exit(failures.isEmpty ? 0 : 1)
    }

    /// Makes `count` calls at once.
    private static func failures(of count: Int, _ me: Chain<Void, Account>) async -> [Failure] {
        await withTaskGroup(of: Failure?.self) { group in
            for number in 1...max(count, 1) {
                group.addTask {
                    let context = ChainContext(requestID: "\(getpid())-\(number)")
                    do throws(Failure) { _ = try await me(context) } catch { return error }
                    return nil
                }
            }
            return await group.reduce(into: []) { failures, failure in failures += failure.map { [$0] } ?? [] }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Calls that stay signed in, whoever else shares the account: many calls in many processes make one refresh.
//
// The access token is in a file that all processes with one state directory share. When the origin says 401, one call of one
// process refreshes it, the others wait, and all go out again. The first refresh token is read from the environment; afterwards the
// file counts, as each refresh spends the token before it.
//
//     REFRESH_TOKEN=… swift run TokenRefreshExample http://127.0.0.1:8080 state 12
//
// ends with 0 if every call succeeded, else with 1.
import Foundation
import SidingKit

struct Account: Decodable, Sendable { let name: String }

/// Who is signed in: a chain whose calls share a credential with all processes that use `directory`.
func accountChain(at base: String, credentials directory: String) throws -> Chain<Void, Account> {
    let requests = try URLChainBuilder(baseURL: base)
    let token: Chain<[String: String], LoadedResponse> = requests.route(.post, "/token").encode(as: .formURL)
        .buildDataLoading()
    var access = AccessSettings(
        account: "example", store: FileCredentialStore(directory: directory),
        refresher: TokenRefresherNode { spent, _ in
            let form = ["grant_type": "refresh_token", "refresh_token": spent.refreshToken ?? ""]  // RFC 6749 §6
            return try TokenGrant(parsing: try await token(form).bytes ?? [])
        })
    access.gate = FileRefreshGate(directory: directory)
    // Without an access token: a refresh comes before the first call.
    let first = ProcessInfo.processInfo.environment["REFRESH_TOKEN"]
    access.initial = { first.map { Credential(accessToken: "", refreshToken: $0) } }
    // Each call has a name, also when its request is sent twice: middlewares run once per request.
    let names = Middlewares().transform("request-id") { draft, context in
        guard let field = HTTPField.Name("X-Request-ID") else { return draft }
        return draft.with(\.headerFields[field], context.requestID)
    }
    return requests.access(AccessSafety(access)).with(\.assembly.middlewares, names).route(.get, "/me").build()
}

@main
struct TokenRefresh {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let (count, me) = (Int(arguments[3]) ?? 12, try accountChain(at: arguments[1], credentials: arguments[2]))
        let outcomes = await withTaskGroup(of: Try<Account>.self) { group in
            for number in 1...count {
                group.addTask { await me.outcome(ChainContext(requestID: "\(getpid())-\(number)")) }
            }
            var outcomes: [Try<Account>] = []
            for await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
        let failures = outcomes.compactMap { if case .failure(let failure) = $0 { failure } else { nil } }
        print("\(count - failures.count) of \(count) calls succeeded")
        // Calls that waited for the same refresh fail for the same reason: said once.
        for failure in Set(failures.map(\.description)).sorted() { print(failure) }
        exit(failures.isEmpty ? 0 : 1)
    }
}

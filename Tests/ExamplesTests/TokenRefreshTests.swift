// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingOrigin
import SidingTesting
import Testing
import TestSupport

@Suite(.serialized, .timeLimit(.minutes(10)))
struct TokenRefreshTests {
    private static let rounds = Proof.choose(short: 3, middle: 6, long: 20)
    private static let processes = 8
    private static let calls = 12

    private let program = ExampleProgram(name: "TokenRefreshExample")
    private let directory: TemporaryDirectory
    private let tokens = TokenEndpoint(guarding: [Profile()])

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Who is signed in.
    private struct Profile: OriginRoute {
        func answer(_ request: OriginRequest) async -> OriginResponse? {
            request.path == "/me" ? .json(#"{"name":"Ada"}"#) : nil
        }
    }

    /// Runs the program in several processes at once, all with the first refresh token in their environment.
    private func run(
        _ processes: Int = 1, calls: Int = calls, at origin: Origin
    ) async throws -> [ExampleProgram.Outcome] {
        try await withThrowingTaskGroup(of: ExampleProgram.Outcome.self) { group in
            for _ in 0..<processes {
                group.addTask {
                    try await program.run(
                        origin.url.origin, "state/credentials", String(calls), in: directory,
                        environment: ["REFRESH_TOKEN": "refresh-0"])
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: directory.path(of: name))[.posixPermissions] as? Int
    }

    private static func call(_ request: OriginRequest) -> String {
        HTTPField.Name("X-Request-ID").flatMap { request.headerFields[$0] } ?? ""
    }

    @Test func `eight processes whose token ends at the same moment make one refresh, and every call succeeds`()
        async throws
    {
        let held = Held()
        let tokens = tokens
        let origin = try await Origin.start { request in
            // No process is told of the end before each of them has asked with the old token.
            await held.wait(request, Self.call(request))
            return await tokens.answer(request) ?? .notFound
        }
        #expect(try await run(calls: 1, at: origin).map(\.status) == [0])
        #expect(tokens.refreshCount == 1)
        for round in 1...Self.rounds {
            await held.hold("Bearer \(tokens.accessToken)", until: Self.processes)
            tokens.expireAccess()
            origin.forgetRequests()
            let outcomes = try await run(Self.processes, at: origin)
            #expect(
                outcomes.map(\.output) == Array(repeating: "12 of 12 calls succeeded\n", count: Self.processes),
                "round \(round)")
            #expect(outcomes.allSatisfy { $0.status == 0 && $0.error == "" }, "round \(round)")
            #expect(tokens.refreshCount == 1 + round)
            #expect(tokens.reuseCount == 0)
            #expect(origin.requests.count { $0.path == "/token" } == 1)
            // Each call has one name, also where it went out twice.
            let calls = Dictionary(grouping: origin.requests.filter { $0.path == "/me" }, by: Self.call)
            #expect(calls.count == Self.processes * Self.calls)
            #expect(calls.values.allSatisfy { $0.count <= 2 })
            #expect(calls.values.contains { $0.count == 2 })
            #expect(try mode("state/credentials/example") == 0o600)
            #expect(try mode("state/credentials") == 0o700)
        }
        await origin.stop()
    }

    @Test func `eight processes that have but the first refresh token spend it once`() async throws {
        let origin = try await Origin.start(routes: [tokens])
        let outcomes = try await run(Self.processes, at: origin)
        #expect(outcomes.map(\.status) == Array(repeating: 0, count: Self.processes))
        #expect(tokens.refreshCount == 1)
        #expect(tokens.reuseCount == 0)
        #expect(origin.requests.count == 1 + Self.processes * Self.calls)
        #expect(try mode("state/credentials/example") == 0o600)
        let form = try #require(origin.requests.first)
        #expect(String(decoding: form.body, as: UTF8.self) == "grant_type=refresh_token&refresh_token=refresh-0")
        #expect(form.headerFields[.authorization] == nil)
        await origin.stop()
    }

    @Test func `a refused refresh is asked for once, ends the program with 1, and shows no token`() async throws {
        tokens.refuse()
        let origin = try await Origin.start(routes: [tokens])
        let outcome = try #require(try await run(at: origin).first)
        #expect(outcome.status == 1)
        #expect(outcome.lines.first == "0 of 12 calls succeeded")
        #expect(outcome.lines.count == 2)
        #expect(outcome.output.contains("sign in again"))
        #expect(!outcome.output.contains("refresh-0"))
        #expect(origin.requests.map(\.path) == ["/token"])
        await origin.stop()
    }
}

/// Holds the requests with one access token until so many processes have asked with it.
private actor Held {
    private var authorization: String?
    private var gathering = Gathering(of: 1)

    func hold(_ authorization: String, until processes: Int) {
        self.authorization = authorization
        gathering = Gathering(of: processes)
    }

    func wait(_ request: OriginRequest, _ call: String) async {
        guard request.headerFields[.authorization] == authorization, authorization != nil else { return }
        await gathering.join(String(call.prefix { $0 != "-" }))
    }
}

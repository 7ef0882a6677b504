// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import SidingSynchronization
import Testing

/// Each kind of sign-in, from the config to the origin, by the built program.
@Suite(.serialized)
struct SignInTests {
    private func sandbox(_ service: Service, _ source: String, _ door: Door) throws -> Sandbox {
        let sandbox = try Sandbox.with(service, source: source)
        try sandbox.write(door.state.withLock(\.secret) + "\n", to: "secret")
        try sandbox.write(door.state.withLock(\.refreshToken) + "\n", to: "secret-refresh")
        return sandbox
    }

    /// Syncs twice: the token is got once, used, kept by the next process, and got anew when the origin refuses it.
    private func expectOneTokenUntilItIsRefused(_ sandbox: Sandbox, _ door: Door) async throws {
        let first = try await sandbox.siding("sync", "-vvv")
        #expect(first.status == 0, "\(first.everything)")
        #expect(door.given == 1)
        #expect(try await sandbox.count() == 20)
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(door.given == 1)
        door.expire()
        let third = try await sandbox.siding("sync", "-vvv")
        #expect(third.status == 0, "\(third.everything)")
        #expect(door.given == 2)
        #expect(!(first.everything + third.everything).contains(Door.canary))
        #expect(try sandbox.leaks(of: Door.canary) == [])
        let mode = try FileManager.default.attributesOfItem(atPath: sandbox.file("test.db.credentials/shop"))
        #expect(mode[.posixPermissions] as? Int == 0o600)
    }

    @Test func `a client gets its token with Basic credentials and the parameters of the config`() async throws {
        let door = Door()
        let service = try await Service.start(behind: door)
        let more =
            "client_id: my app, client_secret: { file: secret }, scope: read write, audience: all, params: { tenant: t1 }"
        try await expectOneTokenUntilItIsRefused(sandbox(service, service.oauth("oauth2_client", more), door), door)
        #expect(
            door.forms.first == [
                "grant_type": "client_credentials", "scope": "read write", "audience": "all", "tenant": "t1",
            ])
        #expect(door.asked.first?.headerFields[.accept] == "application/json")
        await service.origin.stop()
    }

    @Test func `a client's secret is sent in the body where the config says so`() async throws {
        let door = Door()
        let service = try await Service.start(behind: door)
        let more = "client_id: my app, client_secret: { file: secret }, client_auth: body"
        try await expectOneTokenUntilItIsRefused(sandbox(service, service.oauth("oauth2_client", more), door), door)
        #expect(
            door.forms.first == [
                "grant_type": "client_credentials", "client_id": "my app",
                "client_secret": door.state.withLock(\.secret),
            ])
        #expect(door.asked.allSatisfy { $0.headerFields[.authorization] == nil })
        await service.origin.stop()
    }

    @Test func `a refresh token is spent once, and the next one is on disk before its access token is used`()
        async throws
    {
        let door = Door()
        let service = try await Service.start(behind: door)
        let more = "client_id: my app, refresh_token: { file: secret-refresh }"
        let sandbox = try sandbox(service, service.oauth("oauth2_refresh", more), door)
        let undurable = Mutex(0)
        service.guarded(by: door) { request in
            guard request.path == "/items", let bearer = request.headerFields[.authorization] else { return }
            let isKept = sandbox.keptToken.contains("\"\(bearer.dropFirst("Bearer ".count))\"")
            if !isKept { undurable.withLock { $0 += 1 } }
        }
        try await expectOneTokenUntilItIsRefused(sandbox, door)
        #expect(undurable.withLock { $0 } == 0)
        #expect(door.forms.map { $0["client_id"] } == ["my app", "my app"])
        #expect(door.forms.map { $0["refresh_token"]?.suffix(2) } == ["-0", "-1"])
        #expect(door.reuses == 0)
        await service.origin.stop()
    }

    @Test func `a process killed as the new token is sent leaves a token that the next process renews`() async throws {
        let door = Door()
        let service = try await Service.start(behind: door)
        let more = "client_id: my app, refresh_token: { file: secret-refresh }"
        let sandbox = try sandbox(service, service.oauth("oauth2_refresh", more), door)
        let child = Promise<Child>()
        service.guarded(by: door) { request in
            guard request.path == "/items", request.headerFields[.authorization]?.hasSuffix("-token-1") == true,
                let child = try? await child.value()
            else { return }
            child.send(SIGKILL)
        }
        #expect(try await sandbox.siding(["sync"]) { child.fulfil($0) }.status == 128 + SIGKILL)
        service.guarded(by: door)
        door.expire()
        #expect(try await sandbox.siding("sync").status == 0)
        #expect((door.given, door.reuses) == (2, 0))
        await service.origin.stop()
    }

    @Test func `a session's log-in is a JSON body of secrets, and its token is sent where the origin wants it`()
        async throws
    {
        let door = Door(field: try #require(HTTPField.Name("X-Auth-Token")), prefix: "Token ")
        let service = try await Service.start(behind: door)
        let auth =
            "auth: { type: session, path: /login, body: { user: { name: ada, password: { file: secret } }, remember: true }, "
            + "token: $.data.jwt, header: X-Auth-Token, prefix: Token }"
        try await expectOneTokenUntilItIsRefused(sandbox(service, auth, door), door)
        let body = String(decoding: try #require(door.asked.first?.body), as: UTF8.self)
        let secret = door.state.withLock(\.secret)
        #expect(body == #"{"remember":true,"user":{"name":"ada","password":"\#(secret)"}}"#)
        #expect(door.asked.first?.headerFields[.contentType] == "application/json")
        await service.origin.stop()
    }

    @Test func `a session's log-in may be a form, and its token may come in a header field`() async throws {
        let door = Door()
        let service = try await Service.start(behind: door)
        let auth =
            "auth: { type: session, path: /login, encoding: form, body: { user: ada, password: { file: secret } }, "
            + "token_header: X-Session }"
        try await expectOneTokenUntilItIsRefused(sandbox(service, auth, door), door)
        #expect(door.forms.first == ["user": "ada", "password": door.state.withLock(\.secret)])
        await service.origin.stop()
    }

    @Test(arguments: [
        (#"printf '%s\n' "$t""#, "lifetime: 1h", true), (#"printf '%s' "$t""#, "", false),
        (#"printf '{"token":"%s"}' "$t""#, "", false),
        (#"printf '{\n "access_token": "%s",\n "expires_in": 3600\n}\n' "$t""#, "", true),
        (#"printf '{"a":{"b":"%s"},"end":"2099-01-01T00:00:00Z"}' "$t""#, "token: $.a.b, expires_in: $.end", true),
    ])
    func `a program's token is kept until its end or until it is refused`(_ line: String, _ more: String, _ ends: Bool)
        async throws
    {
        let door = Door()
        let service = try await Service.start(behind: door)
        let auth = "auth: { type: command, command: [./secret-program]\(more.isEmpty ? "" : ", ")\(more) }"
        let sandbox = try sandbox(service, auth, door)
        try sandbox.write(
            """
            #!/bin/sh
            n=$(($(cat secret-count 2>/dev/null || echo 0) + 1))
            echo $n > secret-count
            t=\(Door.canary)-token-$n
            \(line)
            """, to: "secret-program")
        #expect(chmod(sandbox.file("secret-program"), 0o700) == 0)
        door.change { $0.given = 1 }
        let first = try await sandbox.siding("sync")
        #expect(first.status == 0, "\(first.everything)")
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try String(contentsOfFile: sandbox.file("secret-count"), encoding: .utf8) == "1\n")
        #expect(sandbox.keptToken.contains("expires_at") == ends)
        // The origin takes only the next one from now on.
        door.change { $0.given = 2 }
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try String(contentsOfFile: sandbox.file("secret-count"), encoding: .utf8) == "2\n")
        #expect(try sandbox.leaks(of: Door.canary) == [])
        await service.origin.stop()
    }

    @Test func `a program that fails needs an operator`() async throws {
        let door = Door()
        let service = try await Service.start(behind: door)
        let sandbox = try sandbox(service, "auth: { type: command, command: [sh, -c, exit 3] }", door)
        let sync = try await sandbox.siding("sync")
        #expect(sync.status == 77)
        #expect(sync.error.contains("the program 'sh' ended with status 3"))
        #expect(sync.error.contains("could not be renewed, the program gave no token: "))
        try sandbox.config(
            service.config(source: #"auth: { type: command, command: [echo, '{"tokn":"\#(Door.canary)"}'] }"#))
        let other = try await sandbox.siding("sync")
        #expect(other.status == 77)
        #expect(
            other.error.contains(
                "the program gave no token: what it printed holds no token at $.access_token or $.token"))
        #expect(!(sync.error + other.error).contains("endpoint") && !other.error.contains(Door.canary))
        // What is no token is not kept.
        try sandbox.config(
            service.config(source: "auth: { type: command, command: [echo, not signed in \(Door.canary)] }"))
        let words = try await sandbox.siding("sync")
        #expect(words.status == 77)
        #expect(words.error.contains("is not a token") && !words.error.contains(Door.canary))
        #expect(!sandbox.keptToken.contains(Door.canary))
        await service.origin.stop()
    }

    @Test func `a token is renewed before its end, without a request that is refused`() async throws {
        let door = Door()
        let service = try await Service.start(behind: door)
        let client = "client_id: my app, client_secret: { file: secret }"
        let sandbox = try sandbox(service, service.oauth("oauth2_client", client), door)
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(door.given == 1)
        // Ten minutes are left of an hour, says the clock of the file.
        let kept = sandbox.keptToken
        let end = try #require(kept.firstMatch(of: /"expires_at":([0-9]+)/))
        let soon = try #require(Int64(end.output.1)) - 3_000 * 1_000_000
        try sandbox.write(
            kept.replacing("\"expires_at\":\(end.output.1)", with: "\"expires_at\":\(soon)"),
            to: "test.db.credentials/shop")
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(door.given == 1)
        try sandbox.config(
            service.config(source: service.oauth("oauth2_client", "\(client), refresh: { early: 20m }")))
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(door.given == 2)
        #expect(service.origin.requests.allSatisfy { $0.path == "/token" || $0.headerFields[.authorization] != nil })
        await service.origin.stop()
    }

    @Test(arguments: [true, false])
    func `a status that the config takes for a bad token is answered with a new one, and no other is`(isSaid: Bool)
        async throws
    {
        let door = Door()
        let service = try await Service.start(behind: door)
        let client = "client_id: my app, client_secret: { file: secret }"
        let refresh = isSaid ? ", refresh: { on_status: [403] }" : ""
        let sandbox = try sandbox(service, service.oauth("oauth2_client", client + refresh), door)
        service.listen { _, request in
            guard var answer = door.answer(request) else { return nil }
            if answer.status == .unauthorized { answer.status = .forbidden }
            return answer
        }
        #expect(try await sandbox.siding("sync").status == 0)
        door.expire()
        let second = try await sandbox.siding("sync")
        #expect(second.status == (isSaid ? 0 : 69), "\(second.everything)")
        #expect(door.given == (isSaid ? 2 : 1))
        await service.origin.stop()
    }

    @Test func `a short-lived token is renewed after half its lifetime, not for each request`() async throws {
        let door = Door()
        door.change { $0.lifetime = 50 }
        let service = try await Service.start(behind: door)
        let source = service.oauth("oauth2_client", "client_id: my app, client_secret: { file: secret }")
        let sandbox = try sandbox(service, source, door)
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(service.targets.count > 2)
        #expect(door.given == 1)
        await service.origin.stop()
    }

    @Test func `many writes that are refused together make one refresh`() async throws {
        let door = Door()
        let service = try await Service.start(behind: door)
        let more = "client_id: my app, refresh_token: { file: secret-refresh }"
        let sandbox = try sandbox(
            service, service.oauth("oauth2_refresh", more) + ", http: { concurrency: 12 }", door)
        #expect(try await sandbox.siding("sync").status == 0)
        for number in 0..<12 {
            #expect(
                try await sandbox.siding("send", "POST", "shop:/orders", "-d", "{\"n\":\(number)}", "--no-send").status
                    == 0)
        }
        door.expire()
        let run = try await sandbox.siding("queue", "run", "--json")
        #expect(run.status == 0, "\(run.everything)")
        #expect(try run.objects().filter { $0["state"]?.string == "done" }.count == 12)
        #expect((door.given, door.reuses) == (2, 0))
        await service.origin.stop()
    }

    @Test func `two processes share one sign-in and refresh it once`() async throws {
        let door = Door()
        let service = try await Service.start(behind: door)
        let more = "client_id: my app, refresh_token: { file: secret-refresh }"
        let sandbox = try sandbox(service, service.oauth("oauth2_refresh", more), door)
        try sandbox.config(
            service.config(source: service.oauth("oauth2_refresh", more), more: "  more: { path: /items, key: id }"))
        #expect(try await sandbox.siding("sync").status == 0)
        door.expire()
        // Both have been refused before either refreshes.
        let refused = Mutex(0)
        let both = Latch()
        service.guarded(by: door) { request in
            guard request.path == "/items", request.headerFields[.authorization]?.hasSuffix("-token-1") == true else {
                return
            }
            if refused.withLock({ count in
                count += 1
                return count == 2
            }) {
                both.open()
            }
            try? await both.wait()
        }
        async let one = sandbox.siding("sync", "items")
        async let other = sandbox.siding("sync", "more")
        #expect(try await one.status == 0)
        #expect(try await other.status == 0)
        #expect((door.given, door.reuses) == (2, 0))
        await service.origin.stop()
    }

    @Test func `a token that an origin repeats is not kept with its answer`() async throws {
        let door = Door(prefix: "token=")
        let service = try await Service.start(behind: door)
        let sandbox = try sandbox(
            service,
            "auth: { type: session, path: /login, body: { password: { file: secret } }, token: $.data.jwt, prefix: token= }",
            door)
        service.listen { _, request in
            if let answer = door.answer(request) { return answer }
            let token = request.headerFields[.authorization]?.dropFirst("token=".count) ?? ""
            return .json(#"{"you_said":"\#(token)"}"#, status: .unprocessableContent)
        }
        let sent = try await sandbox.siding("send", "POST", "shop:/orders", "-d", "{}", "--json")
        #expect(sent.status == 69, "\(sent.everything)")
        let id = try #require(try sent.objects().last?["id"]?.string)
        let shown = try await sandbox.siding("queue", "show", id, "--json")
        #expect(shown.output.contains("you_said"))
        #expect(!(sent.everything + shown.everything).contains(Door.canary))
        #expect(try sandbox.leaks(of: Door.canary) == [])
        await service.origin.stop()
    }
}

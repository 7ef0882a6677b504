// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import SidingSynchronization
import Testing

/// What becomes of a sign-in that is refused, and what `siding auth` says of it.
@Suite(.serialized)
struct SignInRefusalTests {
    private let door = Door()

    private func setUp(_ type: String = "oauth2_client", secret: String? = nil) async throws -> (Service, Sandbox) {
        let service = try await Service.start(behind: door)
        let more =
            type == "oauth2_client"
            ? "client_id: my app, client_secret: { file: secret }"
            : "client_id: my app, refresh_token: { file: secret-refresh }"
        let sandbox = try Sandbox.with(service, source: service.oauth(type, more))
        try sandbox.write(secret ?? door.state.withLock(\.secret), to: "secret")
        try sandbox.write(secret ?? door.state.withLock(\.refreshToken), to: "secret-refresh")
        return (service, sandbox)
    }

    @Test func `a refused client waits for a sign-in, reports the remedy, and continues with a new secret`()
        async throws
    {
        let (service, sandbox) = try await setUp(secret: "\(Door.canary)-wrong")
        let sync = try await sandbox.siding("sync")
        #expect(sync.status == 77)
        #expect(sync.error.contains("could not be renewed, the token endpoint refused: 401 invalid_client"))
        #expect(sync.error.contains("siding auth forget"))
        let send = try await sandbox.siding("send", "POST", "shop:/orders", "-d", "{}")
        #expect(send.status == 77)
        let status = try await sandbox.siding("auth", "status")
        #expect(status.status == 77)
        #expect(status.output.contains("none yet"))
        #expect(status.error.contains("the last refresh was refused") && status.error.contains("401 invalid_client"))
        #expect(status.error.contains("waits for a sign-in"))
        try sandbox.write(door.state.withLock(\.secret), to: "secret")
        let run = try await sandbox.siding("queue", "run", "--json")
        #expect(run.status == 0, "\(run.everything)")
        #expect(try run.objects().contains { $0["state"]?.string == "done" })
        let mended = try await sandbox.siding("auth", "status", "--json")
        #expect(mended.status == 0)
        #expect(try mended.object()["token"]?["refusal"] == nil)
        #expect(!(sync.everything + send.everything + status.everything).contains(Door.canary))
        #expect(try sandbox.leaks(of: Door.canary) == [])
        await service.origin.stop()
    }

    @Test(arguments: [400, 401, 403, 404, 409, 410, 412, 422])
    func `no answer of the token endpoint counts as the origin's answer to a write`(_ status: Int) async throws {
        let (service, sandbox) = try await setUp()
        door.change { $0.refusal = .json(#"{"message":"\#(Door.canary)"}"#, status: .init(code: status)) }
        let sent = try await sandbox.siding("send", "DELETE", "shop:/orders/7", "--json")
        #expect(sent.status == 77)
        let entry = try #require(try sent.objects().last)
        #expect(entry["state"]?.string == "parked" && entry["reason"]?.string == "sign_in")
        #expect(!sent.everything.contains(Door.canary))
        door.change { $0.refusal = nil }
        service.listen { [door] _, request in door.answer(request) ?? OriginResponse(status: .noContent) }
        #expect(try await sandbox.siding("queue", "run").status == 0)
        await service.origin.stop()
    }

    @Test(arguments: [(503, "busy"), (500, "x"), (400, "temporarily_unavailable"), (429, "slow_down")])
    func `an endpoint that is out of order is waited for`(_ status: Int, _ error: String) async throws {
        let (service, sandbox) = try await setUp()
        door.change { $0.refusal = .json(#"{"error":"\#(error)"}"#, status: .init(code: status)) }
        #expect(try await sandbox.siding("sync").status == 75)
        let sent = try await sandbox.siding("send", "POST", "shop:/orders", "-d", "{}", "--json")
        #expect(try sent.objects().last?["state"]?.string == "queued")
        let status = try await sandbox.siding("auth", "status", "--json")
        #expect(status.status == 0)
        #expect(try status.object()["token"]?["refusal"] == nil)
        await service.origin.stop()
    }

    @Test func `an answer without a token needs an operator, and its content is not shown`() async throws {
        let (service, sandbox) = try await setUp()
        door.change { $0.refusal = .json(#"{"tokn":"\#(Door.canary)"}"#) }
        let sync = try await sandbox.siding("sync")
        #expect(sync.status == 77)
        #expect(sync.error.contains("its answer holds no access_token"))
        #expect(!sync.everything.contains(Door.canary))
        await service.origin.stop()
    }

    @Test func `an endpoint that repeats a secret with escapes brings it into no message and no file`() async throws {
        let service = try await Service.start(behind: door)
        let secret = "abc/DEF+\(Door.canary)=="
        let sandbox = try Sandbox.with(
            service, source: service.oauth("oauth2_client", "client_id: my app, client_secret: { file: secret }"))
        try sandbox.write(secret, to: "secret")
        let escaped = secret.replacing("/", with: "\\/")
        door.change {
            $0.refusal = OriginResponse(
                status: .badRequest,
                body: Array(#"{"error":"bad secret \#(escaped)","error_description":"\#(escaped)"}"#.utf8))
        }
        let sync = try await sandbox.siding("sync", "-vvv")
        #expect(sync.status == 77)
        #expect(!sync.everything.contains(Door.canary))
        #expect(try await !sandbox.siding("auth", "status", "--json").everything.contains(Door.canary))
        for name in try FileManager.default.subpathsOfDirectory(atPath: sandbox.path) where name != "secret" {
            let bytes = FileManager.default.contents(atPath: sandbox.file(name)) ?? Data()
            #expect(bytes.range(of: Data(Door.canary.utf8)) == nil, "\(name)")
        }
        await service.origin.stop()
    }

    @Test func `a changed refresh token in the config wins over the kept one`() async throws {
        let (service, sandbox) = try await setUp("oauth2_refresh")
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(door.given == 1)
        // A person signed in anew: what was kept is worth nothing.
        door.change { $0.refreshToken = "\(Door.canary)-anew" }
        try sandbox.write("\(Door.canary)-anew", to: "secret-refresh")
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(door.forms.last?["refresh_token"] == "\(Door.canary)-anew")
        #expect((door.given, door.reuses) == (2, 0))
        await service.origin.stop()
    }

    @Test func `a new client secret leaves the kept refresh token in use`() async throws {
        let service = try await Service.start(behind: door)
        let more = "client_id: my app, client_secret: { file: secret }, refresh_token: { file: secret-refresh }"
        let sandbox = try Sandbox.with(service, source: service.oauth("oauth2_refresh", more))
        try sandbox.write("one", to: "secret")
        try sandbox.write(door.state.withLock(\.refreshToken), to: "secret-refresh")
        #expect(try await sandbox.siding("sync").status == 0)
        try sandbox.write("two", to: "secret")
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(door.forms.map { $0["refresh_token"]?.suffix(2) } == ["-0", "-1"])
        #expect((door.given, door.reuses) == (2, 0))
        await service.origin.stop()
    }

    @Test func `the kept token is shown without its value, and forgotten on command`() async throws {
        let (service, sandbox) = try await setUp()
        #expect(try await sandbox.siding("auth", "status", "--json").object()["token"]?["kept"]?.bool == false)
        #expect(try await sandbox.siding("sync").status == 0)
        let before = try await sandbox.siding("auth", "status", "shop", "--json").object()
        #expect(before["kind"]?.string == "oauth2_client")
        #expect(before["secrets"]?.array?.map { $0["from"]?.string } == ["file secret"])
        #expect(before["secrets"]?.array?.first?["readable"]?.bool == true)
        #expect(before["token"]?["generation"]?.int == 1)
        #expect(before["token"]?["saved_at"] != nil && before["token"]?["expires_at"] != nil)
        #expect(before["waits_for_sign_in"]?.bool == false)
        let table = try await sandbox.siding("auth", "status")
        #expect(table.output.contains("generation 1") && table.output.contains("file secret"))
        #expect(table.error == "" && !table.output.contains(Door.canary))

        #expect(try await sandbox.siding("auth", "forget", "shop", "--dry-run").error.contains("would be removed"))
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(door.given == 1)
        #expect(try await sandbox.siding("auth", "forget", "shop", "--json").object()["forgotten"]?.bool == true)
        #expect(!sandbox.keptToken.contains(Door.canary))
        let after = try await sandbox.siding("auth", "status", "--json").object()
        #expect(after["token"]?["kept"]?.bool == false)
        #expect(try await sandbox.siding("auth", "forget", "shop").error.contains("no token is stored"))
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(door.given == 2)
        await service.origin.stop()
    }

    @Test func `auth forget reports that no token was kept`() async throws {
        let (service, sandbox) = try await setUp()
        for command in [["auth", "forget", "shop", "--dry-run"], ["auth", "forget", "shop"]] {
            let outcome = try await sandbox.siding(command)
            #expect(outcome.status == 0 && outcome.error.contains("no token is stored"), "\(outcome.error)")
        }
        #expect(try await sandbox.siding("auth", "forget", "shop", "--json").object()["forgotten"]?.bool == false)
        await service.origin.stop()
    }

    @Test func `a write that waits for a sign-in is sent after auth forget`() async throws {
        let (service, sandbox) = try await setUp()
        door.change { $0.refusal = .json(#"{"error":"invalid_client"}"#, status: .unauthorized) }
        #expect(try await sandbox.siding("send", "POST", "shop:/orders", "-d", "{}").status == 77)
        door.change { $0.refusal = nil }
        #expect(try await sandbox.siding("auth", "forget", "shop").status == 0)
        #expect(try await sandbox.siding("queue", "list", "--json").object()["state"]?.string == "queued")
        #expect(try await sandbox.siding("auth", "status").status == 0)
        #expect(try await sandbox.siding("queue", "run").status == 0)
        await service.origin.stop()
    }

    @Test func `an unknown source is not found, and a missing secret is reported`() async throws {
        let (service, sandbox) = try await setUp()
        for command in [["auth", "status", "shp"], ["auth", "forget", "shp"]] {
            let outcome = try await sandbox.siding(command)
            #expect(outcome.status == 66)
            #expect(outcome.error.contains("no source 'shp'") && outcome.error.contains("it has: shop"))
        }
        try FileManager.default.removeItem(atPath: sandbox.file("secret"))
        let status = try await sandbox.siding("auth", "status")
        #expect(status.status == 78)
        #expect(status.output.contains("file secret (unreadable)"))
        #expect(status.error.contains("the secret file secret cannot be read"))
        #expect(try await sandbox.siding("check").status == 78)
        #expect(try await sandbox.siding("doctor").status == 78)
        #expect(try await sandbox.siding("sync").status == 78)
        await service.origin.stop()
    }

    @Test func `a kept token that others could read is not used, and forget removes the fault`() async throws {
        let (service, sandbox) = try await setUp()
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(chmod(sandbox.file("test.db.credentials/shop"), 0o644) == 0)
        let status = try await sandbox.siding("auth", "status")
        #expect(status.status == 78)
        #expect(status.error.contains("chmod 600") && status.error.contains("siding auth forget shop"))
        #expect(try await sandbox.siding("sync").status == 78)
        #expect(try await sandbox.siding("auth", "forget", "shop").status == 0)
        #expect(try await sandbox.siding("sync").status == 0)
        await service.origin.stop()
    }

    @Test func `without database_path the tokens lie in the state directory`() async throws {
        let (service, sandbox) = try await setUp()
        let config = try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
        try sandbox.config(config.replacing("database: { path: test.db }\n", with: ""))
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(FileManager.default.fileExists(atPath: sandbox.file(".local/state/siding/credentials/shop")))
        await service.origin.stop()
    }
}

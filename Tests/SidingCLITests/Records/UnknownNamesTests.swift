// SPDX-License-Identifier: Apache-2.0
import SidingOrigin
import Testing

/// A name that selects something is known, or it is a fault: a misspelt one must not look like "nothing there".
struct UnknownNamesTests {
    private static let commands = [
        "sync nope", "plan nope", "records list nope", "records get nope 1", "records get items 99",
        "records count nope", "records why nope 1", "records why items 99", "records history nope 1",
        "records history items 99",
        "records forget nope --yes", "records undelete 99", "schema nope", "schema items --since 99", "export nope",
        "search nope word",
        "quarantine list --resource nope", "quarantine list --resource items --resource nope",
        "quarantine retry --resource nope", "quarantine drop --resource nope --yes", "quarantine show 99",
        "quarantine retry 99", "quarantine drop 99 --yes", "state show nope", "state set nope 1", "state reset nope",
        "runs show 99", "auth status nope", "auth forget nope", "queue list --source nope",
        "queue list --resource nope", "queue list nopenope", "queue show nopenope", "queue run --source nope",
        "queue run --resource nope", "queue run nopenope", "queue run --watch --source nope",
        "queue retry --source nope", "queue retry nopenope", "queue hold nopenope", "queue release --resource nope",
        "queue drop nopenope --yes",
        "queue edit nopenope --body {}", "queue resolve nopenope --mine --yes", "queue purge --source nope --yes",
        "queue purge nopenope --yes", "send POST nope:/x", "send nope.create", "send POST shop:/x --after nopenope",
    ]

    @Test func `no command takes an unknown name for an empty selection`() async throws {
        let service = try await Service.start(items: 3)
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        for command in Self.commands {
            let refused = try await sandbox.siding(command.split(separator: " ").map(String.init))
            #expect(refused.status == 66, "\(command)")
            #expect(!refused.error.isEmpty && refused.output.isEmpty, "\(command)")
        }
        for command in ["quarantine list --resource items", "schema items --since 1", "queue list --lane new"] {
            #expect(try await sandbox.siding(command.split(separator: " ").map(String.init)).status == 0, "\(command)")
        }
        await service.origin.stop()
    }

    @Test func `a resource removed from the config is known while any of its data is stored`() async throws {
        let service = try await Service.start(items: 3)
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        try sandbox.config(service.config().replacing("items:", with: "others:"))
        #expect(try await sandbox.siding("quarantine", "list", "--resource", "items").status == 0)
        await service.origin.stop()
    }
}

// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingOrigin
import Testing

/// The commands between the recipes, with the configs that they are for.
@Suite struct RecipesDocumentTests {
    private static let page = "Docs/Recipes.md"

    @Test func `the first commands do what the page says, with the first recipe`() async throws {
        let path = "/repos/swiftlang/swift-subprocess/issues"
        let origin = try await Origin.start(routes: [
            RecordListing(path, of: .filled(5, size: 60), paging: .link)
        ])
        let changes = [("https://api.github.com", origin.url.origin)]
        let sandbox = try Sandbox()
        try await RunnableDocument(Self.page, section: "## 1. Link header").run(in: sandbox, changes)
        try await RunnableDocument(Self.page, section: "# Recipes").run(in: sandbox, changes)
        #expect(try await sandbox.count("issues") == 5)
        await origin.stop()
    }

    @Test func `own writes arrive as the recipe says`() async throws {
        let tasks = Dataset.filled(7, size: 60)
        let origin = try await Origin.start(routes: [
            RecordListing("/tasks", of: tasks, paging: .link), RecordWrites("/tasks", to: tasks, firstID: 100),
        ])
        let sandbox = try Sandbox()
        try sandbox.write("secret", to: "token")
        try await RunnableDocument(Self.page, section: "## 9. Own writes").run(
            in: sandbox,
            [("https://tasks.example.com", origin.url.origin), ("{ env: TASKS_TOKEN }", "{ file: token }")])
        #expect(tasks["100"]?.json.contains("Check valve 7") == true)
        #expect(tasks["7"]?.json.contains("\"done\"") == true)
        await origin.stop()
    }

    @Test func `a run is bounded by bytes as the recipe says`() async throws {
        let parts = Dataset(
            (1...5).map { .init(key: "\($0)", json: #"{"id":\#($0),"updated_at":"2026-01-01T00:00:0\#($0)Z"}"#) })
        let origin = try await Origin.start(routes: [RecordListing("/parts", of: parts, paging: .link)])
        let sandbox = try Sandbox()
        try await RunnableDocument(Self.page, section: "## 12. A line that costs by the byte").run(
            in: sandbox, [("https://office.example.com", origin.url.origin)])
        #expect(try await sandbox.count("parts") == 5)
        await origin.stop()
    }
}

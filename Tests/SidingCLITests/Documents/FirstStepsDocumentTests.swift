// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite struct FirstStepsDocumentTests {
    @Test func `a newcomer's first steps work as the page says, beside the demo that it starts`() async throws {
        let document = try RunnableDocument("Docs/FirstSteps.md")
        #expect(document.commands.first == "siding demo --serve --directory demo")
        let ports = try await Program.freePorts(3)
        let (page, origin, ownPage) = (ports[0], ports[1], ports[2])
        // The signal comes back before the line has changed: the next command has to find it as the page says.
        let cut = """
            line() { (exec 3<>/dev/tcp/127.0.0.1/\(origin)) 2> /dev/null && echo up; }
            before=$(line); kill -USR1 PID; while [ "$(line)" = "$before" ] && [ $SECONDS -lt 60 ]; do :; done
            """
        try await document.run(
            in: Sandbox(),
            [
                ("demo --serve", "demo --serve --listen 127.0.0.1:\(page) --port \(origin)"), ("kill -USR1 PID", cut),
                ("127.0.0.1:8787", "127.0.0.1:\(page)"), ("127.0.0.1:8788", "127.0.0.1:\(origin)"),
                ("127.0.0.1:8789", "127.0.0.1:\(ownPage)"),
            ])
    }
}

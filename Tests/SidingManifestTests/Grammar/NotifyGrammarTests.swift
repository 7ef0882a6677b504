// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingCredentials
import SidingManifest
import SidingNotifications
import Testing

@Suite struct NotifyGrammarTests {
    private static func file(_ hook: String) -> String {
        """
        version: 1
        sources: { a: { base_url: https://example.com/v1 } }
        resources: { issues: { path: /issues, key: id } }
        notify:
          - \(hook)
        """
    }

    @Test func `hooks are read in their order`() throws {
        let hooks = try Fixture.parse(FullConfig.text).hooks
        #expect(
            hooks.map(\.description) == [
                "command alert", "url ntfy.example", "url file hook.url", "ping 127.0.0.1:8000",
            ])
        #expect(hooks[0].events == [.failed, .recovered])
        #expect(hooks[1].events == [.parked])
        #expect(hooks[2].events == Set(NotificationHook.Event.allCases))
        #expect(hooks[0].queuedLongerThan == .seconds(7200))
        #expect(hooks[1].queuedLongerThan == .seconds(3600))
        #expect(hooks.map(\.timeout) == [.seconds(5), .seconds(30), .seconds(30), .seconds(30)])
        guard case .command(let program) = hooks[0].target else {
            Issue.record("the first is no command")
            return
        }
        #expect(program == Program("/srv/app/bin/alert", arguments: ["ops"], directory: "/srv/app"))
        guard case .url(_, let headers) = hooks[1].target else {
            Issue.record("the second has no URL")
            return
        }
        #expect(headers.map(\.name.rawName) == ["Title", "Authorization"])
        #expect(headers.map(\.value.isPlain) == [true, false])
    }

    @Test(arguments: [
        ("{ on: failed }", "names no target; expected one of command, url and ping"),
        ("{ url: https://a.example, ping: https://b.example }", "has more than one target"),
        ("{ command: alert }", "is text; expected a list such as"),
        ("{ command: [] }", "is an empty list"),
        ("{ url: http://ntfy.example/x }", "is not encrypted; expected https"),
        ("{ url: ftp://ntfy.example/x }", "only http, https and http+unix are spoken"),
        ("{ url: https://ada:pw@ntfy.example/x }", "carries user information"),
        ("{ url: https://a.example, on: [faild] }", "did you mean 'failed'?"),
        ("{ url: https://a.example, timeout: 11m }", "is longer than ten minutes; expected at most 10m"),
        (
            "{ url: https://a.example, headers: { Authorization: Bearer x } }",
            "is a secret, which this file never holds"
        ),
        ("{ url: https://a.example, headers: { a b: x } }", "is not a name of a header field"),
        ("{ url: https://a.example, headers: { X-A: x, x-a: y } }", "is given twice, in different spellings"),
        (#"{ url: https://a.example, headers: { X-A: "a\nb" } }"#, "a line break or another control character"),
        ("{ ping: https://a.example, headers: { X-A: x } }", "is for 'url' alone"),
        ("{ command: [a], when: x }", "unknown key 'when'"),
        ("{ command: [a] }\n  - { command: [a], on: failed }", "has the target of an earlier hook"),
    ]) func `a hook that cannot be is a fault in its place`(_ hook: String, _ words: String) {
        let faults = Fixture.faults(Self.file(hook))
        #expect(faults.count == 1 && faults[0].contains(words), "\(faults)")
        #expect(faults.allSatisfy { $0.hasPrefix("siding.yaml:5:") || $0.hasPrefix("siding.yaml:6:") }, "\(faults)")
        #expect(faults.allSatisfy { !$0.contains("Bearer") && !$0.contains("pw") })
    }

    @Test func `check finds the missing programs and secrets of hooks, and does not blame those of the sources`()
        async throws
    {
        let config = try Fixture.parse(
            Self.file("{ command: [/nowhere/alert] }\n  - { url: { env: MISSING }, headers: { A: { env: ABSENT } } }"))
        #expect(await config.secretFaults() == [])
        #expect(
            await config.hookFaults().map(\.description) == [
                "siding.yaml:5:5: the hook cannot be run: there is no program 'alert' that this user may run",
                "siding.yaml:6:12: the secret env MISSING cannot be read: the environment variable MISSING is not set",
                "siding.yaml:6:44: the secret env ABSENT cannot be read: the environment variable ABSENT is not set",
            ])
    }
}

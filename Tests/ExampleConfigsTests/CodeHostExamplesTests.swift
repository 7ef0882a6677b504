// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingManifest
import SidingTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct CodeHostExamplesTests {
    @Test func `github: pages by Link, then what changed since, then 304, then the rate limit`() async throws {
        let bench = try await ExampleBench("github")
        let issues = "GET https://api.github.com/repos/swiftlang/swift-subprocess/issues"
        let query = "direction=asc&per_page=100"
        #expect(try await bench.sync("issues").result.outcome == .saved)
        let first = bench.transport.takeRequests()
        #expect(
            first.map(WatchedTransport.line) == [
                "\(issues)?\(query)&sort=updated&state=all",
                "GET https://api.github.com/repositories/812345678/issues?\(query)&sort=updated&state=all&page=2",
            ])
        #expect(first.allSatisfy { $0.field("X-GitHub-Api-Version") == "2022-11-28" })
        #expect(first.allSatisfy { $0.headerFields[.accept] == "application/vnd.github+json" })
        #expect(first.allSatisfy { $0.headerFields[.authorization] == nil })
        #expect(
            try await bench.rows(
                "SELECT number, state, author, updated_at, pull_request IS NULL FROM issues ORDER BY number")
                == [
                    "39|closed|grace|2026-11-18T16:00:00.000Z|1", "40|open|ada|2026-11-20T08:00:00.000Z|0",
                    "41|open|linus|2026-11-19T09:30:00.000Z|1",
                ])
        #expect(
            try await bench.rows("SELECT siding_parent, name, color FROM issues_labels ORDER BY 1, 2")
                == ["39|bug|d73a4a", "41|bug|d73a4a", "41|documentation|0075ca"])
        #expect(try await bench.cursor("issues") == "2026-11-20T08:00:00Z")

        #expect(try await bench.sync("issues").result.counters.updated == 1)
        #expect(bench.asked() == ["\(issues)?\(query)&since=2026-11-20T08%3A00%3A00Z&sort=updated&state=all"])
        #expect(
            try await bench.rows("SELECT state, closed_at FROM issues WHERE number = 41") == [
                "closed|2026-11-22T09:00:00.000Z"
            ])
        #expect(try await bench.cursor("issues") == "2026-11-22T09:00:00Z")

        #expect(try await bench.sync("issues").result.counters.unchanged == 1)
        _ = bench.asked()
        // A page with fewer records than were asked for has room: no page behind it can have come without a change of it.
        #expect(try await bench.sync("issues").result.counters.notModified == 1)
        let conditional = bench.transport.takeRequests()
        #expect(conditional.map { $0.headerFields[.ifNoneMatch] } == [#"W/"5f3c1d""#])

        let limited = try await bench.sync("issues")
        #expect(limited.result.outcome == .queued)
        #expect(try await bench.entries().first?.lastError?.message.contains("rate_limited") == true)
        _ = bench.asked()
        // The whole source is left alone, not this page only.
        #expect(try await bench.sync("releases").result.outcome == .queued)
        #expect(bench.asked() == [])
        // GitHub has said when the hour is over, and is asked no sooner.
        bench.wall.advance(by: .seconds(3_000))
        #expect(try await bench.sync("releases").result.outcome == .queued)
        #expect(bench.asked() == [])
        bench.wall.advance(by: .seconds(601))
        #expect(try await bench.sync("releases").result.outcome == .saved)
        #expect(try await bench.rows("SELECT tag_name FROM releases") == ["0.2.0"])
        #expect(bench.transport.unused.isEmpty)
    }

    @Test func `gitlab: keyset pages by Link, the private token, and the end of offsets`() async throws {
        let bench = try await ExampleBench("gitlab", secrets: ["GITLAB_TOKEN": "glpat-example"])
        let api = "https://gitlab.com/api/v4"
        #expect(try await bench.sync("projects").result.counters.inserted == 3)
        let first = bench.transport.takeRequests()
        #expect(
            first.map(WatchedTransport.line) == [
                "GET \(api)/projects?membership=true&order_by=id&pagination=keyset&per_page=100&sort=asc",
                "GET \(api)/projects?id_after=12&membership=true&order_by=id&pagination=keyset&per_page=100&sort=asc",
            ])
        #expect(first.allSatisfy { $0.field("PRIVATE-TOKEN") == "glpat-example" })
        #expect(
            try await bench.rows("SELECT id, path, archived FROM projects ORDER BY id")
                == ["11|ada/engine|0", "12|ada/notes|1", "13|grace/compiler|0"])

        #expect(try await bench.sync("merge_requests").result.counters.inserted == 2)
        let changes = "merge_requests?order_by=updated_at&per_page=100&sort=asc&state=all"
        #expect(bench.asked() == [11, 12, 13].map { "GET \(api)/projects/\($0)/\(changes)" })
        #expect(
            try await bench.rows(
                "SELECT m.iid, m.state, p.path FROM merge_requests m JOIN projects p ON p.siding_key = m.siding_parent ORDER BY 3"
            )
                == ["1|opened|ada/engine", "1|merged|grace/compiler"])
        // Nothing was left of the minute, and nothing has happened in any project since.
        bench.wall.advance(by: .seconds(61))
        try await bench.sync("merge_requests")
        #expect(bench.asked() == [])

        let issues = "GET \(api)/projects/gitlab-org%2Fcli/issues?order_by=updated_at&pagination=keyset&per_page=100"
        #expect(try await bench.sync("issues").result.counters.inserted == 2)
        #expect(bench.asked() == ["\(issues)&scope=all&sort=asc"])
        #expect(
            try await bench.rows("SELECT iid, author, state FROM issues ORDER BY iid") == [
                "7|ada|opened", "9|grace|opened",
            ])
        #expect(try await bench.rows("SELECT siding_parent, value FROM issues_labels") == ["7|type::bug"])
        #expect(try await bench.cursor("issues") == "2026-11-20T10:00:00.250Z")

        // The second page lies beyond what offsets may reach: what is there is kept, and nothing is taken for deleted.
        let cut = try await bench.sync("issues")
        #expect(cut.result.counters.updated == 2)
        #expect(cut.result.notes.contains { $0.contains("maximum allowed offset") || $0.contains("ignored") })
        #expect(
            bench.asked() == [
                "\(issues)&scope=all&sort=asc&updated_after=2026-11-20T10%3A00%3A00.250Z",
                "\(issues)&page=501&scope=all&sort=asc&updated_after=2026-11-20T10%3A00%3A00.250Z",
            ])
        // The page's last value may go on behind it: the one before is as far as the cursor goes.
        #expect(try await bench.cursor("issues") == "2026-11-21T10:00:00.000Z")
        #expect(try await bench.sync("issues").result.counters.inserted == 1)
        #expect(bench.asked() == ["\(issues)&scope=all&sort=asc&updated_after=2026-11-21T10%3A00%3A00.000Z"])
        #expect(try await bench.rows("SELECT count(*) FROM issues") == ["3"])

        // What is not said stays as it was, while the write waits too.
        try await bench.accept("issues", .update, id: "7", #"{"state_event":"close"}"#)
        let seventh = "SELECT title, author, state, siding_pending FROM issues WHERE iid = 7"
        #expect(try await bench.rows(seventh) == ["The help has a gap|ada|opened|1"])
        #expect(try await bench.drain().map(\.state) == [.done])
        #expect(bench.asked() == ["PUT \(api)/projects/gitlab-org%2Fcli/issues/7"])
        #expect(try await bench.rows(seventh) == ["The help has a gap|ada|closed|0"])
        // What was told to do is no part of the record that the answer has.
        let left = "SELECT count(*) FROM siding_records_issues WHERE body ->> '$.state_event' IS NOT NULL"
        #expect(try await bench.rows(left) == ["0"])
        #expect(bench.transport.unused.isEmpty)
    }

    @Test func `jira: a bounded search in whole days, tokens for pages, Basic`() async throws {
        let bench = try await ExampleBench(
            "jira", secrets: ["JIRA_EMAIL": "ada@example.com", "JIRA_API_TOKEN": "api-token"])
        // What is searched for stands in the bodies, and the tape answers to no others.
        let search = "POST https://your-site.atlassian.net/rest/api/3/search/jql"
        #expect(try await bench.sync("issues").result.counters.inserted == 3)
        let first = bench.transport.takeRequests()
        #expect(first.map(WatchedTransport.line) == [search, search])
        #expect(first.allSatisfy { $0.headerFields[.contentType] == "application/json" })
        #expect(first.allSatisfy { $0.headerFields[.authorization] == "Basic YWRhQGV4YW1wbGUuY29tOmFwaS10b2tlbg==" })
        #expect(
            try await bench.rows("SELECT id, key, status, assignee, updated FROM issues ORDER BY id") == [
                "10001|DEMO-1|Done|Ada Example|2026-11-18T08:15:30.123Z",
                "10002|DEMO-2|To Do|-|2026-11-19T07:00:00.000Z",
                "10007|DEMO-7|In Progress|Grace Example|2026-11-20T23:30:00.500Z",
            ])
        #expect(try await bench.rows("SELECT siding_parent, value FROM issues_labels") == ["10001|backend"])
        #expect(try await bench.cursor("issues") == "2026-11-21T00:30:00.500+0100")

        #expect(try await bench.sync("issues").result.counters.updated == 1)
        #expect(bench.asked() == [search])
        #expect(
            try await bench.rows("SELECT key, body ->> '$.fields.status.name' FROM siding_history") == [
                "10007|In Progress"
            ])
        #expect(try await bench.sync("projects").result.counters.inserted == 2)
        #expect(
            bench.asked() == [
                "GET https://your-site.atlassian.net/rest/api/3/project/search?startAt=0&maxResults=50"
            ])
        #expect(
            try await bench.rows("SELECT key, name, type FROM projects ORDER BY key") == [
                "DEMO|Demonstration|software", "OPS|Operations|service_desk",
            ])

        // A PUT that says a part: what it does not say stays as it was, before and after the 204.
        let edited = "SELECT key, summary, status, assignee, siding_pending FROM issues WHERE id = 10007"
        try await bench.accept("issues", .update, id: "10007", #"{"fields":{"summary":"A longer siding"}}"#)
        #expect(try await bench.rows(edited) == ["DEMO-7|A longer siding|Done|Grace Example|1"])
        #expect(try await bench.drain().map(\.state) == [.done])
        #expect(try await bench.rows(edited) == ["DEMO-7|A longer siding|Done|Grace Example|0"])
        // The answer to a create has nothing but names of the issue.
        let made = try await bench.send("issues", .create, #"{"fields":{"project":{"key":"DEMO"},"summary":"Fire"}}"#)
        #expect(made.state == .done)
        #expect(try await bench.rows("SELECT id, key, summary FROM issues WHERE id > 10007") == ["10008|DEMO-8|Fire"])
        let issue = "https://your-site.atlassian.net/rest/api/3/issue"
        #expect(bench.asked() == ["PUT \(issue)/10007", "POST \(issue)"])

        #expect(try await bench.sync("issues").result.outcome == .queued)
        let entry = try #require(try await bench.entries().first)
        #expect(entry.nextAttemptAt == bench.wall.now + .seconds(30))
        #expect(bench.transport.unused.isEmpty)
    }
}

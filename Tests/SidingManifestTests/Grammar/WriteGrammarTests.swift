// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingJSON
import SidingManifest
import Testing

@Suite struct WriteGrammarTests {
    private static func file(_ writes: String) -> String {
        """
        version: 1
        sources: { a: { base_url: "https://example.com/v1" } }
        resources: { issues: { path: /issues, key: id } }
        writes:
          \(writes)
        """
    }

    @Test func `every key of writes is read`() throws {
        let config = try Fixture.parse(FullConfig.text)
        let write = try #require(config.writes.first)
        #expect(write.name == "issues" && write.source.name == "tracker" && write.resource?.name == "issues")
        #expect(write.operations[.create]?.method == .post)
        #expect(write.operations[.update]?.method == .put && write.operations[.update]?.sendsIfMatch == true)
        #expect(write.operations[.create]?.idPath == JSONPath(members: ["meta", "id"]))
        #expect(write.record == JSONPath(members: ["data", "issue"]))
        #expect(write.operations[.create]?.answer == .part && write.operations[.update]?.answer == .part)
        #expect(write.operations[.update]?.body == .part)
        #expect(write.operations[.delete]?.goneIsDone == false && write.operations[.delete]?.sendsIfMatch == true)
        #expect(write.idempotency?.lifetime == .seconds(7200))
        #expect(write.conflict == .merge && write.coalesces)
        #expect(write.conflictStatuses == [409, 422])
        let probe = try #require(write.probe)
        #expect(probe.path == "/issues?state=all&client_ref={entry}&q=a%20b")
        #expect(probe.mark == JSONPath(member: "client_ref") && probe.records?.description == "$.items[*]")
        #expect(probe.after == .seconds(60) && probe.fallback == .send)
        let request = try write.request(.update, id: "a/b", body: [])
        #expect(request.url.description == "https://api.example.com/v2/issues/a%2Fb")
        #expect(request.lane == "issues/a/b")
        #expect(request.operation == "issues.update")
        #expect(request.probe?.id == "a/b" && request.conflictStatuses == [409, 422])
        #expect(request.probe?.record == write.record && request.edit?.record == write.record)
        #expect(request.edit?.change == .merge && request.edit?.answersPart == true)
    }

    @Test(arguments: [
        ("", WriteEdit.Change.merge), (", method: PUT", .replace), (", method: POST", .merge),
        (", method: PUT, body: part", .merge), (", body: whole", .replace), (", method: POST, body: whole", .replace),
    ])
    func `the method decides how much of a record an update has, unless it is declared`(
        terms: String, change: WriteEdit.Change
    ) throws {
        let config = try Fixture.parse(Self.file("issues: { update: { path: '/i/{id}'\(terms) } }"))
        let edit = try #require(try config.writes.first?.request(.update, id: "7", body: []).edit)
        #expect(edit.change == change && edit.record == nil && edit.answersPart == nil)
    }

    @Test func `a resource has the writes that are declared under its name`() throws {
        let config = try Fixture.parse(Self.file("issues: { create: { path: /tickets } }"))
        let issues = try #require(config.resources.first)
        #expect(issues.isWritten)
        #expect(try issues.writeDeclaration().request(.create).url.path == "/v1/tickets")
        let other = try Fixture.parse(Self.file("others: { create: { path: /others } }"))
        #expect(other.resources.first?.isWritten == false)
    }

    @Test func `a file may have writes only`() throws {
        let text = Self.file("issues: { create: { path: /issues } }")
            .replacing("resources: { issues: { path: /issues, key: id } }\n", with: "")
        let config = try Fixture.parse(text)
        #expect(config.resources.isEmpty && config.writes.map(\.name) == ["issues"])
        #expect(config.writes.first?.resource == nil)
        #expect(Fixture.faults(text.replacing("writes:", with: "writse:")).count == 1)
    }

    @Test func `omitted keys of probes and conflicts have their usual values`() throws {
        let silent = try Fixture.parse(Self.file("issues: { create: { path: /issues } }"))
        #expect(silent.writes.first?.probe == nil && silent.writes.first?.conflictStatuses == nil)
        let config = try Fixture.parse(
            Self.file("issues: { create: { path: /i }, conflict: {}, unknown: { probe: { path: '/i/{key}' } } }"))
        let write = try #require(config.writes.first)
        #expect(write.probe == WriteProbe("/i/{key}"))
        #expect(write.probe?.after == .seconds(30) && write.probe?.fallback == .hold && write.probe?.mark == nil)
        #expect(write.conflict == .hold && write.conflictStatuses == nil)
    }

    @Test func `a declared mark wins over the parameter's name`() throws {
        let probe = "{ path: /i, query: { q: '{key}' }, mark: $.meta.ref }"
        let config = try Fixture.parse(Self.file("issues: { create: { path: /i }, unknown: { probe: \(probe) } }"))
        #expect(config.writes.first?.probe?.mark == JSONPath(members: ["meta", "ref"]))
    }

    @Test func `a record that is created has a lane that later writes to it share`() throws {
        let config = try Fixture.parse(Self.file("issues: { create: { path: /issues }, lane: 'i/{id}' }"))
        let request = try #require(try config.writes.first?.request(.create, body: []))
        let key = try #require(request.edit?.key)
        #expect(request.lane == "i/\(key)")
        #expect(TemporaryID.matches(key))
    }

    @Test(arguments: ["PUT", "PATCH"])
    func `a record that is created under an id of one's own is named in the path`(method: String) throws {
        let probe = "unknown: { probe: { path: '/i/{id}', query: { ref: '{entry}' } } }"
        let config = try Fixture.parse(
            Self.file("issues: { create: { method: \(method), path: '/i/{id}' }, \(probe) }"))
        let request = try #require(try config.writes.first?.request(.create, id: "a b", body: []))
        #expect(request.url.description == "https://example.com/v1/i/a%20b")
        #expect(request.edit?.key == "a b" && request.probe?.id == "a b")
        #expect(throws: Failure.self) { try config.writes.first?.request(.create, body: []) }
    }

    @Test(arguments: [
        ("issues: { update: { path: /issues } }", "does not identify a record"),
        (
            "issues: { create: { path: '/issues/{id}' } }",
            "contains {id}, but the origin chooses the id of a record that a POST creates"
        ),
        ("issues: { create: { path: '/i/{id}' }, update: { path: '/i/{id}' } }", "method: PUT, where you give"),
        ("issues: { create: { path: '/issues#x' } }", "does not make a URL"),
        ("issues: { create: { path: 'https://else.test/x' } }", "does not make a URL"),
        ("issues: { create: { path: '/issues?token=x' } }", "token"),
        ("issues: { lane: x }", "declares no request"),
        ("issues: { source: b, create: { path: /issues } }", "which 'sources' does not have"),
        ("'a.b': { create: { path: /issues } }", "cannot be used in commands"),
        ("issues: { create: { path: /issues, method: GET } }", "GET"),
        ("issues: { create: { path: /issues }, conflict: { then: win } }", "win"),
        ("issues: { create: { path: /i, if_match: true } }", "if_match"),
        ("issues: { delete: { path: '/i/{id}', if_match: _rev } }", "true or false"),
        ("issues: { delete: { path: '/i/{id}', if_match: '$.a[*]' } }", "means several values"),
        ("issues: { create: { path: /i, gone_is_done: true } }", "gone_is_done"),
        ("issues: { update: { path: '/i/{id}', id: $.id } }", "'id'"),
        ("issues: { update: { path: '/i/{id}', gone_is_done: true } }", "gone_is_done"),
        ("issues: { delete: { path: '/i/{id}', id: $.id } }", "'id'"),
        ("issues: { create: { path: /i, body: part } }", "'body'"),
        ("issues: { delete: { path: '/i/{id}', answer: part } }", "'answer'"),
        ("issues: { update: { path: '/i/{id}', body: some } }", "whole or part"),
        ("issues: { record: $, create: { path: /i } }", "not a member of an object"),
        ("issues: { record: '$.a[0]', create: { path: /i } }", "not a member of an object"),
        ("issues: { record: '$.a[*]', create: { path: /i } }", "means several values"),
        ("issues: { create: { path: /i }, conflict: { on: [] } }", "empty list"),
        ("issues: { create: { path: /i }, conflict: { on: [500] } }", "500"),
        ("issues: { create: { path: /i }, conflict: { on: [409, 401] } }", "401, which asks for a sign-in"),
        ("issues: { create: { path: /i }, unknown: { otherwise: hold } }", "has no 'probe'"),
        ("issues: { create: { path: /i }, unknown: { probe: x } }", "'probe'"),
        ("issues: { create: { path: /i }, unknown: { probe: { path: /i } } }", "names neither {entry} nor {key}"),
        (
            "issues: { create: { path: /i }, unknown: { probe: { path: '/i/{entry}' } } }",
            "which member carries {entry}"
        ),
        (
            "issues: { create: { path: /i }, unknown: { probe: { path: /i, query: { 'a.b': '{key}' } } } }",
            "which member"
        ),
        ("issues: { create: { path: /i }, unknown: { probe: { path: /i, query: { r: '{entri}' } } } }", "'{entri}'"),
        ("issues: { create: { path: /i }, unknown: { probe: { path: '/i/{key}' }, otherwise: drop } }", "hold or send"),
        ("issues: { create: { path: /i }, unknown: { probe: { path: '/i/{id}/{key}' } } }", "has no id before"),
        (
            "issues: { create: { path: /i }, unknown: { probe: { path: 'https://x.test/{key}' } } }",
            "does not make a URL"
        ),
        ("issues: { create: { path: /i }, unknown: { probe: { path: /i, query: { token: '{key}' } } } }", "token"),
    ])
    func `a request that cannot be sent is a fault in its place`(writes: String, words: String) {
        let faults = Fixture.faults(Self.file(writes))
        #expect(faults.count == 1)
        #expect(faults.first?.contains(words) == true && faults.first?.hasPrefix("siding.yaml:5:") == true, "\(faults)")
    }

    @Test(arguments: [
        ("create: { path: /i }", false), ("create: { path: /i, id: $.name }", true),
        ("create: { path: '/i/{id}', method: PUT }", true),
        ("update: { path: '/i/{id}' }, delete: { path: '/i/{id}' }", true),
    ])
    func `a record whose key is a member's name is created with a name that the answer or the path has`(
        writes: String, isAccepted: Bool
    ) {
        let text = Self.file("issues: { \(writes) }").replacing("key: id", with: "records: $.*, key: $key")
        let faults = Fixture.faults(text)
        #expect(faults.isEmpty == isAccepted, "\(faults)")
        #expect(faults.allSatisfy { $0.contains("id: the path of the new name in the answer") })
    }
}

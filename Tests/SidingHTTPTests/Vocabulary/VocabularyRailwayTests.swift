// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingNodes
import SidingOrigin
import Testing

/// Railways whose requests reach an origin.
@Suite(.timeLimit(.minutes(5))) struct VocabularyRailwayTests {
    struct Own: Error {}
    struct Note: Codable, Sendable, Equatable { var id: Int, title: String }

    /// An origin with the notes 1 and 3, and chains to it.
    struct Notebook {
        let origin: Origin
        let fetch: Chain<Int, Note>
        let save: Chain<Note, Note>

        var lines: [String] { origin.requests.map(\.line) }
    }

    static func answer(_ request: OriginRequest) -> OriginResponse {
        switch request.line {
        case "GET /notes/1": .json(#"{"id":1,"title":"a"}"#)
        case "GET /notes/3": .json(#"{"id":3,"title":"c"}"#)
        default: request.method == "PUT" ? .json(request.text) : .notFound
        }
    }

    static func reading(_ body: (Notebook) async throws -> Void) async throws {
        try await BuilderSettingsTests.building(handler: { Self.answer($0) }) { (origin, builder) async throws in
            let fetch: Chain<Int, Note> = builder.route(.get, "/notes/{id}").build(.path { ["id": "\($0)"] }, .json)
            let save: Chain<Note, Note> = builder.route(.put, "/notes/{id}")
                .build(.json.path { ["id": "\($0.id)"] }, .json)
            try await body(Notebook(origin: origin, fetch: fetch, save: save))
        }
    }

    @Test func `an outcome is a value that can be recovered, and an error of the program becomes a failure`()
        async throws
    {
        try await Self.reading { (notebook: Notebook) async throws in
            let found = await notebook.fetch.outcome(of: 1)
            #expect(try found.map(\.title).get() == "a")
            let missing = await notebook.fetch.outcome(of: 9)
            #expect(missing.failure?.status == 404)
            let recovered = await missing.recover(where: { $0.status == 404 }) { _ in Note(id: 0, title: "none") }
            #expect(try recovered.get() == Note(id: 0, title: "none"))
            let unrecovered = await missing.recover(where: { $0.status == 500 }) { _ in Note(id: 0, title: "none") }
            #expect(unrecovered.failure?.status == 404)
            let thrown = await missing.recover { _ in throw Own() }
            #expect(thrown.failure?.underlying is Own)
            #expect(thrown.failure?.phase == .answered)
            #expect(notebook.lines == ["GET /notes/1", "GET /notes/9"])
        }
    }

    @Test func `two requests are two steps, and after a failure the second is not made`() async throws {
        try await Self.reading { (notebook: Notebook) async throws in
            let louder = RequestGenerator<Note, Note>.onSuccess { note in Note(id: note.id, title: note.title + "!") }
            let title = ResultProcessor<Note, String> { note in note.title }
            let line = Railway(RequestStep(notebook.fetch)).then(RequestStep(louder, notebook.save, title))
            #expect(try await line.outcome(of: 1).get() == "a!")
            #expect(notebook.lines == ["GET /notes/1", "PUT /notes/1"])
            #expect(notebook.origin.requests.last?.text == #"{"id":1,"title":"a!"}"#)
            #expect(await line.outcome(of: 9).failure?.status == 404)
            #expect(notebook.lines == ["GET /notes/1", "PUT /notes/1", "GET /notes/9"])
        }
    }

    @Test func `a generator recovers from the failures that it names, by another request`() async throws {
        try await Self.reading { (notebook: Notebook) async throws in
            let next = RequestGenerator<Note, Int>.onSuccess { note in note.id + 2 }
                .recovering(where: { $0.status == 404 }) { _ in 1 }
            let line = Railway(RequestStep(notebook.fetch)).then(RequestStep(next, notebook.fetch))
            #expect(try await line.outcome(of: 1).get().id == 3)
            #expect(try await line.outcome(of: 9).get().id == 1)
            #expect(notebook.lines == ["GET /notes/1", "GET /notes/3", "GET /notes/9", "GET /notes/1"])
            notebook.origin.forgetRequests()
            notebook.origin.inject(.status(500))
            #expect(await line.outcome(of: 1).failure?.status == 500)
            #expect(notebook.lines == ["GET /notes/1"])
        }
    }

    @Test func `a generator of several requests has an outcome for each, in order`() async throws {
        try await Self.reading { (notebook: Notebook) async throws in
            let title = ResultProcessor<Note, String> { note in note.title }
            let line = Railway(RequestBatchStep(.several { (ids: [Int]) in ids }, notebook.fetch, title))
            let outcomes = try await line.outcome(of: [3, 9, 1]).get()
            #expect(outcomes.map { try? $0.get() } == ["c", nil, "a"])
            #expect(outcomes[1].failure?.status == 404)
            #expect(notebook.lines.sorted() == ["GET /notes/1", "GET /notes/3", "GET /notes/9"])
        }
    }

    @Test func `a result processor may turn the failure of its own request into a value`() async throws {
        try await Self.reading { (notebook: Notebook) async throws in
            let orNone = ResultProcessor<Note, Note?>.outcome { raw in
                if case .failure(let failure) = raw, failure.status == 404 { return nil }
                return try raw.get()
            }
            let line = Railway(RequestStep(.previous, notebook.fetch, orNone))
            #expect(try await line.outcome(of: 9).get() == nil)
            #expect(try await line.outcome(of: 3).get() == Note(id: 3, title: "c"))
            notebook.origin.inject(.status(500))
            #expect(await line.outcome(of: 3).failure?.status == 500)
        }
    }

    @Test func `an error of the program becomes the failure of its step, and a later step may recover`() async throws {
        try await Self.reading { (notebook: Notebook) async throws in
            let refusing = RequestGenerator<Int, Int>.onSuccess { _ in throw Own() }
            let unasked = await Railway(RequestStep(refusing, notebook.fetch)).outcome(of: 1).failure
            #expect(unasked?.underlying is Own)
            #expect(unasked?.phase == .notSent)
            #expect(notebook.lines.isEmpty)
            let breaking = ResultProcessor<Note, Int> { _ in throw Own() }
            let another = RequestGenerator<Int, Int>.previous.recovering(where: { $0.underlying is Own }) { _ in 3 }
            let line = Railway(RequestStep(.previous, notebook.fetch, breaking))
                .then(RequestStep(another, notebook.fetch))
            #expect(try await line.outcome(of: 1).get().title == "c")
            #expect(notebook.lines == ["GET /notes/1", "GET /notes/3"])
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingOrigin
import Testing

@Suite struct RecordWritesTests {
    @Test func `a record is created once per key`() async throws {
        let dataset = numbered(1)
        try await asking([RecordWrites("/list", to: dataset, firstID: 50)]) { (origin, ask) async throws in
            let key: HTTPFields = [HTTPField.Name("Idempotency-Key")!: "k"]
            let first = try await ask("/list", .post, key, body: #"{"a":1}"#)
            #expect(first.status == 201)
            #expect(first.text == #"{"id":50,"a":1}"#)
            #expect(first.headerFields[.location] == "/list/50")
            #expect(try await ask("/list", .post, key, body: #"{"a":2}"#).text == first.text)
            #expect(dataset.count == 2)
            #expect(try await ask("/list", .post, body: "{}").text == #"{"id":51}"#)
        }
    }

    @Test func `records are replaced and removed under their key`() async throws {
        let dataset = numbered(2)
        try await asking([RecordWrites("/list", to: dataset, firstID: 3)]) { (origin, ask) async throws in
            #expect(try await ask("/list/1", .put, body: #"{"id":1,"b":2}"#).status == 200)
            #expect(dataset["1"]?.json == #"{"id":1,"b":2}"#)
            #expect(try await ask("/list/2", .delete).status == 204)
            #expect(dataset.records.map(\.key) == ["1"])
            #expect(try await ask("/list/2", .delete).status == 404)
            #expect(try await ask("/list", .post, body: "[]").status == 400)
        }
    }
}

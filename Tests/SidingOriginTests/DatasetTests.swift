// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingOrigin
import Testing

@Suite struct DatasetTests {
    @Test func `records keep their order through changes`() {
        let dataset = numbered(4)
        dataset.remove("2")
        dataset.put(.init(key: "3", json: "new"))
        dataset.put(.init(key: "2", json: "back"))
        #expect(dataset.records.map(\.key) == ["1", "3", "4", "2"])
        #expect(dataset["3"]?.json == "new")
        #expect(dataset["2"]?.json == "back")
        #expect(dataset["4"]?.json == #"{"id":4}"#)
        #expect(!dataset.remove("9"))
        #expect(dataset.count == 4)
    }

    @Test func `the same seed gives the same bytes`() {
        let (one, other, third) = (DemoData(seed: 1), DemoData(seed: 1), DemoData(seed: 2))
        #expect(one.readings.records == other.readings.records)
        #expect(one.stations.records == other.stations.records)
        #expect(one.readings.records != third.readings.records)
        #expect(one.stations.count == 240)
        #expect(one.readings.count == 3_000)
    }

    @Test func `readings are stamped in order and belong to stations`() throws {
        let records = DemoData().readings.records
        #expect(records.map(\.stamp) == records.map(\.stamp).sorted())
        #expect(records[0].stamp == "2024-05-01T00:00:00Z")
        #expect(records[2999].stamp == "2024-05-03T01:59:00Z")
        let first = try #require(records.first)
        #expect(first.json.hasPrefix(#"{"id":1,"station_id":"#))
    }

    @Test func `the generator is SplitMix64`() {
        var generator = SeededGenerator(seed: 1_234_567)
        #expect(
            (0..<3).map { _ in generator.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ])
    }

    @Test func `the demo serves its stations, readings and writes`() async throws {
        try await asking(DemoData().routes) { (origin, ask) async throws in
            #expect(try await ask("/stations").text.ids.count == 50)
            let readings = try await ask("/readings?since=2024-05-03T01:57:00Z")
            #expect(readings.text.ids == [2999, 3000])
            #expect(try await ask("/readings", .post, body: #"{"station_id":1}"#).status == 201)
        }
    }
}

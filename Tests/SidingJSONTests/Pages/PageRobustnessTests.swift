// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingJSON
import Testing

/// SplitMix64: the same documents in every run.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

struct PageRobustnessTests {
    static let page = #"""
        {"meta":{"next":"https:\/\/x.example\/?c=\u00e9","n":[1,-2.5e+3,true,false,null]},"items":[
         {"id":"cus_1","name":"Zoë 🎉 \ud83c\udf89","tags":["a","b"],"geo":{"lat":1.5,"lon":-0}, "note":"long enough to pass one vector of bytes"},
         {"id":2,"a":{"b":{"c":[{}, [], ""]}}}, {"id":3,"id":3}, {"id":null}, 17
        ],"more":false}
        """#

    static func reader() throws -> PageReader {
        PageReader(
            records: try JSONPath(parsing: "$.items[*]"), key: [JSONPath(member: "id")],
            envelope: [try JSONPath(parsing: "$.meta.next"), try JSONPath(parsing: "$.items[0].geo.lat")])
    }

    @Test func `every proper prefix of a page is refused as syntax at its end`() throws {
        let reader = try Self.reader()
        let bytes = Array(Self.page.utf8)
        #expect(try Page(bytes).read(reader).records.count == 5)
        for length in 0..<bytes.count {
            // An exact allocation of its own, so that reading past the end would not go unnoticed under a sanitizer.
            let page = Page(Array(bytes[..<length]))
            do throws(PageFault) {
                _ = try page.read(reader)
                Issue.record("a prefix of \(length) bytes was accepted")
            } catch {
                switch error {
                case .syntax(let error): #expect(error.offset <= length)
                case .notUTF8(let error): #expect(length - error.offset < 4, "a sequence that was cut")
                default: Issue.record("\(error)")
                }
            }
        }
    }

    @Test(arguments: 0..<8)
    func `no change of bytes crashes the reader or leads it out of the page`(seed: Int) throws {
        var random = SeededGenerator(state: UInt64(seed))
        let reader = try Self.reader()
        let automatic = PageReader(records: nil, key: [JSONPath(member: "id"), JSONPath(member: "name")])
        let members = PageReader(records: try JSONPath(parsing: "$.*"), key: [.memberName, .root])
        let original = Array(Self.page.utf8)
        let pieces = [
            #"""#, #"\"#, "{", "}", "[", "]", ",", ":", #"\u"#, #"\ud800"#, #""id":"#, "1e", "\u{0}", "é", "\n",
        ]
        var accepted = 0
        for _ in 0..<3000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &random) { Self.change(&bytes, with: pieces, using: &random) }
            let page = Page(bytes)
            for reader in [reader, automatic, members, members.forLines] {
                guard let contents = try? page.read(reader) else { continue }
                accepted += 1
                #expect(reader.readsLines || JSONTestSuiteTests.error(of: bytes) == nil)
                for record in contents.records {
                    #expect(record.range.upperBound <= bytes.count && !record.range.isEmpty)
                    #expect(JSONTestSuiteTests.error(of: Array(bytes[record.range])) == nil)
                    #expect(record.fault.map { (0..<bytes.count).contains($0.offset) } ?? true)
                    _ = page.key(record)
                }
                _ = contents.envelope.map(page.text)
            }
        }
        #expect(accepted > 100, "some changes keep the page valid")
    }

    static func change(_ bytes: inout [UInt8], with pieces: [String], using random: inout SeededGenerator) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(contentsOf: pieces.randomElement(using: &random)!.utf8, at: index)
        default: bytes.replaceSubrange(index..<min(index + 5, bytes.count), with: bytes.prefix(7))
        }
    }

    @Test(arguments: 0..<20)
    func `a valid page is read as another reader reads it`(seed: Int) throws {
        var random = SeededGenerator(state: UInt64(seed) &* 7919)
        for _ in 0..<50 {
            let document = RandomJSON.page(using: &random)
            let page = Page(document)
            let contents = try page.read(records: "$.items[*]", envelope: ["$.after.next"])
            let object = try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any]
            let items = try #require(object?["items"] as? [[String: Any]])
            #expect(contents.records.count == items.count)
            for (record, item) in zip(contents.records, items) {
                let expected = (item["id"] as? String) ?? (item["id"] as? NSNumber)?.stringValue
                // An empty text is no key.
                #expect(page.key(record) == (expected == "" ? nil : expected))
                let body = try JSONSerialization.jsonObject(with: Data(bytes(of: record, in: page))) as? NSDictionary
                #expect(body == item as NSDictionary)
                let members = Array(bytes(of: record, in: page)).withUnsafeBytes { JSONMembers.topLevelMembers(of: $0) }
                #expect(Set(members.map(\.name)) == Set(item.keys))
            }
            let after = object?["after"] as? [String: Any]
            #expect(page.string(contents.envelope[0]) == after?["next"] as? String)
        }
    }

    private func bytes(of record: RecordSlice, in page: Page) -> ArraySlice<UInt8> {
        page.bytes[record.range]
    }
}

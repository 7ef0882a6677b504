// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

/// The second table: what quarantines a record while its page goes on.
struct RecordRulesTests {
    static let limits = JSONLimits(maxDepth: 4, maxStringBytes: 12)

    struct Row: CustomTestStringConvertible, Sendable {
        let record: String
        let fault: RecordFault?
        var testDescription: String { record }
        init(_ record: String, _ fault: RecordFault?) {
            self.record = record
            self.fault = fault
        }
    }

    static let key = JSONPath(member: "id")

    static let table: [Row] = [
        Row(#"{"id":1}"#, nil),
        Row(#"{"id":1,"a":{"id":2},"b":[{"id":3},{"id":4}]}"#, nil),
        Row(#"{"id":1,"a":1,"a":1}"#, .duplicateName("a", offset: 14)),
        Row(#"{"id":1,"id":2}"#, .duplicateName("id", offset: 8)),
        Row(#"{"id":1,"a":1,"\u0061":1}"#, .duplicateName("a", offset: 14)),
        Row(#"{"id":1,"\u0061":1,"a":1}"#, .duplicateName("a", offset: 19)),
        Row(#"{"id":1,"\u0061":1,"\u0061":1}"#, .duplicateName("a", offset: 19)),
        Row(#"{"id":1,"é":1,"\u00e9":1}"#, .duplicateName("é", offset: 15)),
        Row(#"{"id":1,"🎉":1,"\ud83c\udf89":1}"#, .duplicateName("🎉", offset: 17)),
        Row(#"{"id":1,"\/":1,"/":1}"#, .duplicateName("/", offset: 15)),
        Row(#"{"id":1,"":1,"":1}"#, .duplicateName("", offset: 13)),
        Row(#"{"id":1,"o":[{"x":{"y":1,"y":2}}]}"#, .duplicateName("y", offset: 25)),
        Row(#"{"id":1,"abcdefghi":1,"abcdefghi":1}"#, .duplicateName("abcdefghi", offset: 22)),
        Row(#"{"id":1,"a":1,"A":1,"á":1}"#, nil),
        Row(#"{"id":1,"s":"\ud800"}"#, .loneSurrogate(offset: 12)),
        Row(#"{"id":1,"s":"\udc00"}"#, .loneSurrogate(offset: 12)),
        Row(#"{"id":1,"s":"\ud800x"}"#, .loneSurrogate(offset: 12)),
        Row(#"{"id":1,"s":"\uDFAA"}"#, .loneSurrogate(offset: 12)),
        Row(#"{"id":1,"\ud800":1}"#, .loneSurrogate(offset: 8)),
        Row(#"{"id":"\ud800"}"#, .loneSurrogate(offset: 6)),
        Row(#"{"id":1,"s":"\ud83c\udf89"}"#, nil),
        Row(#"{"id":1,"s":"\u0000"}"#, nil),
        Row(#"{"id":1,"a":[[[0]]]}"#, nil),
        Row(#"{"id":1,"a":[[[[0]]]]}"#, .tooDeep(limit: 4, offset: 15)),
        Row(#"{"id":1,"a":{"a":{"a":{"a":{"b":0,"b":0}}}}}"#, .tooDeep(limit: 4, offset: 27)),
        Row(#"{"id":1,"s":"123456789012"}"#, nil),
        Row(#"{"id":1,"s":"1234567890123"}"#, .stringTooLong(limit: 12, offset: 12)),
        Row(#"{"id":1,"1234567890123":1}"#, .stringTooLong(limit: 12, offset: 8)),
        Row(#"{}"#, .missingKey(key, offset: 0)),
        Row(#"{"ID":1,"a":{"id":1}}"#, .missingKey(key, offset: 0)),
        Row(#"{"id":null}"#, .keyNotUsable(key, found: .null, offset: 6)),
        Row(#"{"id":true}"#, .keyNotUsable(key, found: .boolean, offset: 6)),
        Row(#"{"id":false}"#, .keyNotUsable(key, found: .boolean, offset: 6)),
        Row(#"{"id":1.0}"#, .keyNotUsable(key, found: .fraction, offset: 6)),
        Row(#"{"id":1e3}"#, .keyNotUsable(key, found: .fraction, offset: 6)),
        Row(#"{"id":1E3}"#, .keyNotUsable(key, found: .fraction, offset: 6)),
        Row(#"{"id":{}}"#, .keyNotUsable(key, found: .object, offset: 6)),
        Row(#"{"id":[1]}"#, .keyNotUsable(key, found: .array, offset: 6)),
        Row(#"{"id":""}"#, .keyNotUsable(key, found: .emptyText, offset: 6)),
        Row(#"{"id":"a\u0000b"}"#, .keyNotUsable(key, found: .textWithNUL, offset: 6)),
        Row(#"{"\u0069d":7}"#, nil),
        Row(#""text""#, .notAnObject(found: .string, offset: 0)),
        Row(#"[1,2]"#, .notAnObject(found: .array, offset: 0)),
        Row(#"null"#, .notAnObject(found: .null, offset: 0)),
        Row(#"-1.5e3"#, .notAnObject(found: .number, offset: 0)),
    ]

    @Test(arguments: table)
    func `each rule holds for the first, the middle and the last record, and spares its neighbours`(row: Row) throws {
        for position in 0..<3 {
            let neighbour = #"{"id":1}"#
            let parts = (0..<3).map { $0 == position ? row.record : neighbour }
            let page = Page("[" + parts.joined(separator: ",\n ") + "]")
            let contents = try page.read(limits: Self.limits)
            #expect(contents.records.map(page.body) == parts)
            for (index, record) in contents.records.enumerated() where index != position {
                #expect(page.key(record) == "1")
            }
            let record = contents.records[position]
            #expect(record.fault.map { $0.offset - record.range.lowerBound } == row.fault?.offset)
            let shifted = try Page("[" + row.record + "]").read(limits: Self.limits).records[0].fault
            #expect(shifted?.code == row.fault?.code)
            if position == 0 { #expect(record.fault == row.fault.map(Self.behindBracket)) }
        }
    }

    /// The table counts from the record; the first record of a page begins behind the bracket.
    static func behindBracket(_ fault: RecordFault) -> RecordFault {
        switch fault {
        case .duplicateName(let name, let offset): .duplicateName(name, offset: offset + 1)
        case .loneSurrogate(let offset): .loneSurrogate(offset: offset + 1)
        case .tooDeep(let limit, let offset): .tooDeep(limit: limit, offset: offset + 1)
        case .stringTooLong(let limit, let offset): .stringTooLong(limit: limit, offset: offset + 1)
        case .missingKey(let path, let offset): .missingKey(path, offset: offset + 1)
        case .keyNotUsable(let path, let found, let offset): .keyNotUsable(path, found: found, offset: offset + 1)
        case .notAnObject(let found, let offset): .notAnObject(found: found, offset: offset + 1)
        }
    }

    @Test func `names that differ only in Unicode normalisation are two names`() throws {
        let page = Page("[{\"id\":1,\"\u{E1}\":1,\"a\u{301}\":1}]")
        #expect(try page.read().records[0].fault == nil)
    }

    @Test(arguments: [10, 47, 48, 49, 50, 200, 3000], [false, true])
    func `a repeated name is found in an object of any size`(count: Int, escaped: Bool) throws {
        let names = (0..<count).map { "\"name_number_\($0)\":0" }
        let again = escaped ? "\"\\u006eame_number_\(count / 2)\":1" : names[count / 2]
        let valid = "{\"id\":1," + names.joined(separator: ",") + "}"
        let broken = "{\"id\":1," + (names + [again]).joined(separator: ",") + "}"
        let contents = try Page("[\(valid),\(broken),\(valid)]").read()
        #expect(contents.records.map { $0.fault?.code } == [nil, "duplicate_name", nil])
        let offset = 1 + valid.utf8.count + 1 + broken.utf8.count - 1 - again.utf8.count
        #expect(contents.records[1].fault == .duplicateName("name_number_\(count / 2)", offset: offset))
    }

    @Test func `an object of 200,000 names is read in near linear time`() throws {
        func time(_ count: Int) throws -> Duration {
            let names = (0..<count).map { "\"member\($0)\":0" }.joined(separator: ",")
            let page = Page("[{\"id\":1,\(names)}]")
            return try processorTime {
                let record = try page.read().records[0]
                #expect(record.fault == nil)
            }
        }
        let small = try time(20_000)
        let large = try time(200_000)
        #expect(large < small * 60, "\(small) for 20,000 names, \(large) for ten times as many")
    }

    @Test func `100,000 nested arrays in a record fault that record alone`() throws {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        let page = Page("[{\"id\":1},{\"id\":2,\"a\":\(deep)},{\"id\":3}]")
        let records = try page.read().records
        #expect(records.map { $0.fault?.code } == [nil, "too_deep", nil])
        #expect(records.map(page.key) == ["1", nil, "3"])
    }

    @Test func `a fault is one printable line`() throws {
        let records = try Page("[{\"id\":1,\"\\u001b[2J\\u202e\":1,\"\\u001b[2J\\u202e\":1},{\"id\":null}]").read()
            .records
        #expect(
            records.compactMap { $0.fault?.description } == [
                "byte 29: the name \"\\u{1b}[2J\\u{202e}\" appears twice in one object",
                "byte 56: the key $.id is null; a key is a string or an integer",
            ])
    }
}

// SPDX-License-Identifier: Apache-2.0
/// Builds a record's key from the values found at the key paths.
///
/// A string gives its decoded text, an integer its digits, with `-0` as `0`, as both are one number. Numbers with a fraction or
/// an exponent are no keys, as one value has many spellings (RFC 8259, section 6). Several paths give a compact JSON array, in
/// which each string has only one spelling.
struct RecordKeyReader: Sendable {
    private let paths: [JSONPath]
    private let nodes: [PathTree.Node]

    /// - Parameters:
    ///   - paths: the key paths; if empty, the record itself is its key, like with the path `$`.
    ///   - tree: gets the paths inside a record.
    init(paths: [JSONPath], in tree: inout PathTree) {
        self.paths = paths.isEmpty ? [.root] : paths
        nodes = self.paths.map { tree.insert($0) }
    }

    func key(
        of record: Range<Int>, found: borrowing ScratchStack<FoundValue>, in page: UnsafeRawBufferPointer
    ) throws(RecordFault) -> RecordKey {
        // A null under a name is no record: stores take it for one that is not there.
        if page[record.lowerBound] == UInt8(ascii: "n"), paths.contains(.memberName) {
            throw .notAnObject(found: .null, offset: record.lowerBound)
        }
        if paths.count == 1 { return try part(0, of: record, found: found, in: page) }
        var writer = JSONWriter()
        writer.beginArray()
        for index in paths.indices {
            let part = try part(index, of: record, found: found, in: page)
            part.withBytes(in: page) { bytes in
                if part.kind == .string { writer.string(bytes) } else { writer.raw(bytes) }
            }
        }
        writer.endArray()
        return RecordKey(kind: .composite, owned: writer.bytes)
    }

    private func part(
        _ index: Int, of record: Range<Int>, found: borrowing ScratchStack<FoundValue>, in page: UnsafeRawBufferPointer
    ) throws(RecordFault) -> RecordKey {
        let value = found[nodes[index]]
        guard value.isFound else { throw missing(paths[index], in: record, of: page) }
        switch value.kind {
        case .string: return try text(value, at: paths[index], in: page)
        case .number: return try integer(value, at: paths[index], in: page)
        case .null: throw unusable(.null, value, at: paths[index])
        case .true, .false: throw unusable(.boolean, value, at: paths[index])
        case .object: throw unusable(.object, value, at: paths[index])
        case .array: throw unusable(.array, value, at: paths[index])
        }
    }

    private func text(
        _ value: FoundValue, at path: JSONPath, in page: UnsafeRawBufferPointer
    ) throws(RecordFault) -> RecordKey {
        let contents = UnsafeRawBufferPointer(rebasing: page[Int(value.start) + 1..<Int(value.end) - 1])
        // No other member has an empty name.
        guard !contents.isEmpty || paths.count > 1 || path == .memberName else {
            throw unusable(.emptyText, value, at: path)
        }
        guard contents.contains(UInt8(ascii: "\\")) else {
            return RecordKey(kind: .string, start: value.start + 1, count: value.end - value.start - 2)
        }
        var decoded: [UInt8] = []
        JSONString.append(decoding: contents, to: &decoded)
        guard !decoded.contains(0) else { throw unusable(.textWithNUL, value, at: path) }
        return RecordKey(kind: .string, owned: decoded)
    }

    private func integer(
        _ value: FoundValue, at path: JSONPath, in page: UnsafeRawBufferPointer
    ) throws(RecordFault) -> RecordKey {
        let digits = page[Int(value.start)..<Int(value.end)]
        guard JSONMembers.isInteger(digits) else { throw unusable(.fraction, value, at: path) }
        let isNegativeZero = digits.count == 2 && digits.first == UInt8(ascii: "-") && digits.last == UInt8(ascii: "0")
        let sign: UInt32 = isNegativeZero ? 1 : 0
        return RecordKey(kind: .integer, start: value.start + sign, count: value.end - value.start - sign)
    }

    private func unusable(
        _ found: RecordFault.UnusableKey, _ value: FoundValue, at path: JSONPath
    ) -> RecordFault {
        .keyNotUsable(path, found: found, offset: Int(value.start))
    }

    private func missing(
        _ path: JSONPath, in record: Range<Int>, of page: UnsafeRawBufferPointer
    ) -> RecordFault {
        let kind = JSONKind(firstByte: page[record.lowerBound])
        guard case .member = path.components.first, kind != .object else {
            return .missingKey(path, offset: record.lowerBound)
        }
        return .notAnObject(found: kind, offset: record.lowerBound)
    }
}

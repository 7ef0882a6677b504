// SPDX-License-Identifier: Apache-2.0
/// Validates that a whole document is JSON by RFC 8259 and UTF-8. Repeated names and escaped lone surrogates are allowed, as in
/// that grammar.
package enum JSONSyntax {
    /// Checks the whole document in one pass, without keeping anything of it.
    ///
    /// - Throws: `JSONSyntaxError` at the first invalid byte, or where a limit is exceeded.
    package static func validate(
        _ document: UnsafeRawBufferPointer, limits: JSONLimits = JSONLimits()
    ) throws(JSONSyntaxError) {
        var scanner = try JSONScanner(document, limits: limits)
        var rules = SyntaxRules(depthLeft: limits.maxDepth, maxStringBytes: limits.maxStringBytes)
        try scanner.skipValue(&rules)
        try scanner.finish()
    }
}

extension JSONScanner {
    /// Positions the scanner before the first value of the document.
    init(_ document: UnsafeRawBufferPointer, limits: JSONLimits) throws(JSONSyntaxError) {
        guard let base = document.bindMemory(to: UInt8.self).baseAddress, !document.isEmpty else {
            throw JSONSyntaxError(problem: .expectedValue, offset: 0, found: nil)
        }
        self.init(start: base, end: base + document.count, position: base, remainingValues: limits.maxValues)
        try refuseOtherEncodings(document)
        skipSpace()
    }

    /// Throws for encodings other than UTF-8 without a byte order mark (RFC 8259, section 8.1). A zero byte among the first two
    /// means UTF-16 or UTF-32, since JSON text contains none.
    private func refuseOtherEncodings(_ document: UnsafeRawBufferPointer) throws(JSONSyntaxError) {
        if document.starts(with: [0xEF, 0xBB, 0xBF]) { throw failure(.byteOrderMark) }
        let isWide =
            document.starts(with: [0xFE, 0xFF]) || document.starts(with: [0xFF, 0xFE])
            || (document.count >= 2 && (document[0] == 0) != (document[1] == 0)) || document.starts(with: [0, 0])
        if isWide { throw failure(.utf16) }
    }

    /// Reads a value by the rules of records.
    @inline(never)
    mutating func record(_ rules: inout RecordRules) throws(JSONSyntaxError) {
        try value(tellingOf: &rules)
    }

    /// Skips a value without wanted parts.
    @inline(never)
    mutating func skipValue(_ rules: inout SyntaxRules) throws(JSONSyntaxError) {
        try value(tellingOf: &rules)
    }

    /// Checks that only whitespace follows the root value.
    mutating func finish() throws(JSONSyntaxError) {
        skipSpace()
        guard position == end else { throw failure(.expectedEnd) }
    }
}

/// Checks values outside records: the grammar and the limits that protect the reader.
struct SyntaxRules: JSONObserver {
    var depthLeft: Int
    let maxStringBytes: Int

    @inline(__always)
    mutating func open(
        _ kind: JSONKind, at position: UnsafePointer<UInt8>, in scanner: borrowing JSONScanner
    ) throws(JSONSyntaxError) {
        depthLeft -= 1
        if depthLeft < 0 { throw scanner.failure(.tooDeep, at: position) }
    }

    @inline(__always)
    mutating func name(_ name: ScannedString, in scanner: borrowing JSONScanner) throws(JSONSyntaxError) {
        if name.count > maxStringBytes { throw scanner.failure(.stringTooLong, at: name.start - 1) }
    }

    @inline(__always)
    mutating func element() {}

    @inline(__always)
    mutating func string(_ string: ScannedString, in scanner: borrowing JSONScanner) throws(JSONSyntaxError) {
        if string.count > maxStringBytes { throw scanner.failure(.stringTooLong, at: string.start - 1) }
    }

    @inline(__always)
    mutating func scalar(_ kind: JSONKind, from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>) {}

    @inline(__always)
    mutating func close(at position: UnsafePointer<UInt8>) {
        depthLeft += 1
    }
}

/// Limits on the size and depth of a page, to protect the reader.
///
/// A limit exceeded inside a record is a fault of that record, outside the records one of the page; `maxValues` and
/// `maxRecords` are always ones of the page. Values below 1 are raised to 1.
public struct JSONLimits: Sendable, Hashable {
    /// The nesting depth of arrays and objects, counted from the record inside records and from the document elsewhere. Default
    /// 128: more than real data has, and less than the 1,000 levels at which SQLite's JSON functions fail.
    public var maxDepth: Int
    /// The number of values in the whole page, arrays and objects included. Default 5,000,000: a value per 13 bytes of 64 MiB,
    /// the largest answer by default.
    public var maxValues: Int
    /// The length in bytes of one string or name in the page, without its quotes. Default 8 MiB.
    public var maxStringBytes: Int
    /// The number of records in one page; each takes about 100 bytes of memory beside its own. Default 524,288.
    public var maxRecords: Int

    /// For values that were checked before.
    package static let unlimited = JSONLimits(maxDepth: .max, maxValues: .max, maxStringBytes: .max)

    /// The parameters are the properties of the same names, with their defaults.
    public init(
        maxDepth: Int = 128, maxValues: Int = 5_000_000, maxStringBytes: Int = 8 << 20, maxRecords: Int = 1 << 19
    ) {
        self.maxDepth = max(1, maxDepth)
        self.maxValues = max(1, maxValues)
        self.maxStringBytes = max(1, maxStringBytes)
        self.maxRecords = max(1, maxRecords)
    }
}

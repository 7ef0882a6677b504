// SPDX-License-Identifier: Apache-2.0
/// Writes the start of a value without whitespace between tokens, replacing the values of hidden members.
struct JSONExcerpt: JSONObserver {
    /// The number of bytes after which writing stops: four per character, the maximum in UTF-8.
    private let budget: Int
    private let isHidden: (String) -> Bool
    private(set) var text: [UInt8] = []
    private var containers = ContainerStack()
    private var depth = 0
    private var isFirst = true
    /// Whether the next value belongs to a hidden member.
    private var hidesNext = false
    /// The depth of the hidden array or object that is open.
    private var hiddenFrom: Int?

    init(limit: Int, isHidden: @escaping (String) -> Bool) {
        budget = max(0, limit) * 4
        self.isHidden = isHidden
    }

    private static let hiddenValue = Array(#""…""#.utf8)

    private mutating func write(_ bytes: some Collection<UInt8>) {
        guard hiddenFrom == nil, text.count <= budget else { return }
        text.append(contentsOf: bytes.prefix(budget + 4))
    }

    private mutating func separate() {
        if !isFirst { write([UInt8(ascii: ",")]) }
        isFirst = false
    }

    /// Writes a placeholder if the next value is hidden.
    private mutating func hides() -> Bool {
        guard hidesNext else { return false }
        write(Self.hiddenValue)
        hidesNext = false
        return true
    }

    /// Stops the scanner once enough is written; throwing is its only way to stop.
    private func stopIfFull(_ scanner: borrowing JSONScanner) throws(JSONSyntaxError) {
        if text.count > budget { throw scanner.failure(.tooManyValues) }
    }

    mutating func open(
        _ kind: JSONKind, at position: UnsafePointer<UInt8>, in scanner: borrowing JSONScanner
    ) throws(JSONSyntaxError) {
        try stopIfFull(scanner)
        if hides() { hiddenFrom = depth }
        write([kind == .object ? UInt8(ascii: "{") : UInt8(ascii: "[")])
        containers.push(isObject: kind == .object)
        depth += 1
        isFirst = true
    }

    mutating func close(at position: UnsafePointer<UInt8>) {
        write([containers.isInnermostObject ? UInt8(ascii: "}") : UInt8(ascii: "]")])
        containers.pop()
        depth -= 1
        isFirst = false
        if hiddenFrom == depth { hiddenFrom = nil }
    }

    mutating func name(_ name: ScannedString, in scanner: borrowing JSONScanner) throws(JSONSyntaxError) {
        try stopIfFull(scanner)
        separate()
        quote(name)
        write([UInt8(ascii: ":")])
        hidesNext = hiddenFrom == nil && isHidden(JSONString.decode(name.contents) ?? "")
    }

    mutating func element() { separate() }

    mutating func string(_ string: ScannedString, in scanner: borrowing JSONScanner) throws(JSONSyntaxError) {
        try stopIfFull(scanner)
        if !hides() { quote(string) }
    }

    mutating func scalar(_ kind: JSONKind, from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>) {
        if !hides() { write(UnsafeBufferPointer(start: start, count: end - start)) }
    }

    private mutating func quote(_ string: ScannedString) {
        write(UnsafeBufferPointer(start: string.start - 1, count: string.count + 2))
    }
}

extension JSONDocument {
    /// The start of the value as a message: one line without control characters, at most `limit` characters (200 by default).
    /// `isHidden` receives each member's name; if it returns true, `…` replaces the value.
    public func excerpt(limit: Int = 200, hiding isHidden: @escaping (String) -> Bool = { _ in false }) -> String {
        var excerpt = JSONExcerpt(limit: limit, isHidden: isHidden)
        bytes.withUnsafeBytes { value in
            // The bytes were checked, so the scan ends early only because enough has been written.
            guard var scanner = try? JSONScanner(value, limits: .unlimited) else { return }
            try? scanner.value(tellingOf: &excerpt)
        }
        return PlainText.oneLine(String(decoding: excerpt.text, as: UTF8.self), limit: limit)
    }
}

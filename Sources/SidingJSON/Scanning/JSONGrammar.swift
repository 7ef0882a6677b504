// SPDX-License-Identifier: Apache-2.0
/// Receives each part of a value while it is scanned. The scanner is specialized for each conformance, so an empty method costs
/// nothing.
protocol JSONObserver: ~Copyable {
    /// An array or object begins at `position`.
    mutating func open(_ kind: JSONKind, at position: UnsafePointer<UInt8>, in scanner: borrowing JSONScanner)
        throws(JSONSyntaxError)
    /// A member's name; its value follows.
    mutating func name(_ name: ScannedString, in scanner: borrowing JSONScanner) throws(JSONSyntaxError)
    /// An element of the innermost array follows.
    mutating func element()
    /// A complete string.
    mutating func string(_ string: ScannedString, in scanner: borrowing JSONScanner) throws(JSONSyntaxError)
    /// A complete number, true, false or null.
    mutating func scalar(_ kind: JSONKind, from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>)
    /// The innermost array or object ended before `position`.
    mutating func close(at position: UnsafePointer<UInt8>)
}

extension JSONScanner {
    /// Scans one value of any kind and depth, without recursion, and reports its parts to the observer.
    @inline(__always)
    mutating func value<Observer: JSONObserver & ~Copyable>(
        tellingOf observer: inout Observer
    ) throws(JSONSyntaxError) {
        var scanner = self
        var containers = ContainerStack()
        repeat {
            try scanner.countValue()
            guard scanner.position < scanner.end else { throw scanner.failure(.expectedValue) }
            let start = scanner.position
            switch start.pointee {
            case UInt8(ascii: "\""):
                let string = try scanner.string()
                try observer.string(string, in: scanner)
            case UInt8(ascii: "{"):
                try observer.open(.object, at: start, in: scanner)
                if try scanner.enterObject() {
                    containers.push(isObject: true)
                    try observer.name(try scanner.name(), in: scanner)
                    continue
                }
                observer.close(at: scanner.position)
            case UInt8(ascii: "["):
                try observer.open(.array, at: start, in: scanner)
                if try scanner.enterArray() {
                    containers.push(isObject: false)
                    observer.element()
                    continue
                }
                observer.close(at: scanner.position)
            case UInt8(ascii: "t"):
                try scanner.literal("true")
                observer.scalar(.true, from: start, to: scanner.position)
            case UInt8(ascii: "f"):
                try scanner.literal("false")
                observer.scalar(.false, from: start, to: scanner.position)
            case UInt8(ascii: "n"):
                try scanner.literal("null")
                observer.scalar(.null, from: start, to: scanner.position)
            default:
                try scanner.number()
                observer.scalar(.number, from: start, to: scanner.position)
            }
            leaving: while !containers.isEmpty {
                if containers.isInnermostObject {
                    if try scanner.nextMember() {
                        try observer.name(try scanner.name(), in: scanner)
                        break leaving
                    }
                } else if try scanner.nextElement() {
                    observer.element()
                    break leaving
                }
                containers.pop()
                observer.close(at: scanner.position)
            }
        } while !containers.isEmpty
        self = scanner
    }
}

/// The open arrays and objects of a value, one bit each, so that deep nesting cannot exhaust the call stack.
struct ContainerStack {
    private var bits: UInt64 = 0
    private var depth = 0
    /// Full words, outermost first: 100,000 open arrays take 12 KB.
    private var outer: [UInt64] = []

    @inline(__always)
    var isEmpty: Bool { depth == 0 }

    @inline(__always)
    var isInnermostObject: Bool { bits & 1 == 1 }

    @inline(__always)
    mutating func push(isObject: Bool) {
        if depth & 63 == 0, depth > 0 { outer.append(bits) }
        bits = bits << 1 | (isObject ? 1 : 0)
        depth += 1
    }

    @inline(__always)
    mutating func pop() {
        depth -= 1
        bits >>= 1
        if depth & 63 == 0, depth > 0 { bits = outer.removeLast() }
    }
}

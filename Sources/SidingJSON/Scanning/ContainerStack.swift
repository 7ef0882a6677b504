/// The open arrays and objects of a value, one bit each, so that no depth of nesting can exhaust the call stack.
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

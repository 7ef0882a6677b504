/// Where a wanted value lies, and of which kind it is; all zero until it is met.
struct FoundValue {
    var kind = JSONKind.null
    var start: UInt32 = 0
    /// 0 while the value has not been met.
    var end: UInt32 = 0

    @inline(__always)
    var isFound: Bool { end != 0 }
}

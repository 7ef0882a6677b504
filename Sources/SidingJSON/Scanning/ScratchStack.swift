// SPDX-License-Identifier: Apache-2.0
/// A stack for scratch data written at every name and value: an array without uniqueness checks, which cost as much as the
/// scan itself. It has one owner and trivial elements, and it never shrinks.
///
/// Indices must be below `count`: the owning types guarantee it, and debug builds assert it.
struct ScratchStack<Element: BitwiseCopyable>: ~Copyable {
    private(set) var count = 0
    private var capacity: Int
    private(set) var base: UnsafeMutablePointer<Element>

    init(capacity: Int) {
        self.capacity = max(1, capacity)
        base = .allocate(capacity: self.capacity)
    }

    /// A stack with `count` copies of an element.
    init(repeating element: Element, count: Int) {
        self.init(capacity: count)
        base.initialize(repeating: element, count: count)
        self.count = count
    }

    deinit {
        base.deallocate()
    }

    @inline(__always)
    subscript(index: Int) -> Element {
        get {
            assert(index >= 0 && index < count)
            return base[index]
        }
        nonmutating set {
            assert(index >= 0 && index < count)
            base[index] = newValue
        }
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if count == capacity { grow() }
        (base + count).initialize(to: element)
        count += 1
    }

    @inline(__always)
    mutating func removeLast() -> Element {
        assert(count > 0)
        count -= 1
        return base[count]
    }

    /// Removes all but the first `count` elements.
    @inline(__always)
    mutating func cut(to count: Int) {
        assert(count >= 0 && count <= self.count)
        self.count = count
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: base, count: count)
        base.deallocate()
        base = larger
        capacity *= 2
    }
}

// SPDX-License-Identifier: Apache-2.0
/// The page sizes that a listing may ask for, so that a page gets through a line that breaks off: `size: { max, min }`.
///
/// Each is the largest divisor of the one above that is at most half of it. So the records before a page of one size are whole
/// pages of the next smaller one, and a page can be asked for in smaller ones that begin at the same record.
package struct PageSizes: Sendable, Hashable {
    /// The query parameter with the size.
    package let parameter: String
    /// From the maximum down.
    package let sizes: [Int]

    /// - Parameters:
    ///   - maximum: the size of the first request, at least 1.
    ///   - minimum: no smaller size is asked for.
    package init(in parameter: String, maximum: Int, minimum: Int) {
        self.parameter = parameter
        var sizes = [maximum]
        while let next = Self.divisor(of: sizes[sizes.count - 1]), next >= minimum { sizes.append(next) }
        self.sizes = sizes
    }

    package var maximum: Int { sizes[0] }
    package var minimum: Int { sizes[sizes.count - 1] }

    private static func divisor(of size: Int) -> Int? {
        size < 2 ? nil : (2...size).first { size.isMultiple(of: $0) }.map { size / $0 }
    }

    package func smaller(than size: Int) -> Int? { sizes.first { $0 < size } }

    package func larger(than size: Int) -> Int? { sizes.last { $0 > size } }
}

/// The page size of a listing, and how its pages got through since the last lost one.
///
/// A page is lost when its answer takes too long or breaks off, and cannot go on where it broke off. A page that is lost less than
/// twenty pages behind another one makes the pages smaller: then hardly a twentieth of what the line carries is lost. Forty pages
/// without a loss make them larger again, with the next listing: behind full pages of a small size, a larger one that the origin
/// cuts short would look like the last.
package struct PageSizing: Sendable, Hashable {
    package private(set) var size: Int
    /// The pages read since a page was lost; nil if none was lost.
    package private(set) var pagesSinceLoss: Int?

    package init(size: Int, pagesSinceLoss: Int? = nil) { (self.size, self.pagesSinceLoss) = (size, pagesSinceLoss) }

    /// This, with a size of `sizes`: the config may have changed. Where no page was lost, it is the largest.
    package func among(_ sizes: PageSizes) -> PageSizing {
        guard let pagesSinceLoss else { return PageSizing(size: sizes.maximum) }
        return PageSizing(size: sizes.sizes.first { $0 <= size } ?? sizes.minimum, pagesSinceLoss: pagesSinceLoss)
    }

    /// Whether lost pages made the size smaller than `largest`; false where that is nil.
    package func isSmaller(than largest: Int?) -> Bool { pagesSinceLoss != nil && largest.map { size < $0 } ?? false }

    /// The size of a new listing.
    package func ofNewListing(_ sizes: PageSizes) -> PageSizing {
        guard let pagesSinceLoss, pagesSinceLoss >= 40, let larger = sizes.larger(than: size) else { return self }
        return PageSizing(size: larger, pagesSinceLoss: 0)
    }

    /// A page of `size` was lost.
    package mutating func losePage(of size: Int, _ sizes: PageSizes) {
        if let pagesSinceLoss, pagesSinceLoss < 20, let smaller = sizes.smaller(than: size) {
            self.size = min(self.size, smaller)
        }
        pagesSinceLoss = 0
    }

    /// The origin refused a page of `size`: the next larger one is asked for again.
    package mutating func refusePage(of size: Int, _ sizes: PageSizes) {
        self.size = sizes.larger(than: size) ?? sizes.maximum
        pagesSinceLoss = 0
    }

    /// A page was read.
    ///
    /// - Parameters:
    ///   - size: what it asked for: a listing that goes on in smaller pages is one of smaller pages.
    ///   - isWhole: whether the origin sent it: an unchanged page says nothing about the line.
    package mutating func readPage(of size: Int?, isWhole: Bool = true) {
        guard let pagesSinceLoss else { return }
        if let size { self.size = min(self.size, size) }
        if isWhole { self.pagesSinceLoss = pagesSinceLoss + 1 }
    }
}

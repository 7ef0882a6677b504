// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingPaging

/// Page sizes that follow the line, where the config declares `size: { max, min }`.
extension NextPageRule {
    /// The size that `page` asks for; nil if the resource has none, or the origin's link left it out.
    func size(of page: PageRequest) -> Int? { resource.pageSizes.flatMap { page.url.queryNumber($0.parameter) } }

    /// `page` in the size that the line carries, where that is smaller and there is such a page.
    func sized(_ page: PageRequest) -> PageRequest {
        guard let size, let present = self.size(of: page), size < present else { return page }
        return resized(page, to: size) ?? page
    }

    /// The page that begins at the same record as `page` and asks for `size` records; nil if there is none.
    ///
    /// The number of a page counts pages of its own size, so the records before it have to be whole pages of the new size. Where
    /// the origin counts too, it must have sent as many records as its pages can have: an origin's maximum may be below the size.
    func resized(_ page: PageRequest, to size: Int) -> PageRequest? {
        guard let sizes = resource.pageSizes, let present = self.size(of: page), present != size else { return nil }
        let before = (page.number - 1) * present
        guard before.isMultiple(of: size) else { return nil }
        var resized = page
        if page.offset == before || isByOffset { resized.number = (page.offset + size - 1) / size + 1 }
        if let number = numberParameter(of: page) {
            guard page.offset == before, page.url.queryNumber(number.name) == number.start + page.number - 1 else {
                return nil
            }
            resized.url = resized.url.settingQuery(number.name, to: String(number.start + resized.number - 1))
        } else if !numbers(in: page).isEmpty {
            return nil
        }
        resized.url = resized.url.settingQuery(sizes.parameter, to: String(size))
        return resized
    }

    /// The number of a page by offset bounds the offset of the next one from above: a short page may stand before it.
    private var isByOffset: Bool { if case .offset = resource.paging { true } else { false } }

    /// Why `page`, of a new size, may not begin at the record after those that were read: an origin that rounds sizes or has a
    /// maximum counts pages of another size. Nil if it does begin there.
    ///
    /// - Parameter isFirst: whether it is the first page of that size. Later ones may be short: the last one is.
    func misplacement(of page: Page, isFirst: Bool) -> String? {
        guard let size = size(of: page.request), page.request.number > 1,
            isFirst ? page.recordCount != size : page.recordCount > size,
            resource.paging.isNumbered || numberParameter(of: page.request) != nil
        else { return nil }
        return "page \(page.request.number) of \(size) records has \(page.recordCount)"
    }

    /// The query parameter in which `page` carries its number, and the number of the first page; nil if it carries none.
    private func numberParameter(of page: PageRequest) -> (name: String, start: Int)? {
        switch resource.paging {
        case .page(let numbers):
            if case .query(let name) = numbers.parameter { (name, numbers.start) } else { nil }
        case .linkHeader: numbers(in: page) == ["page"] ? ("page", 1) : nil
        default: nil
        }
    }

    /// The names of the numbers by which a link or a token led to the page. They may mean anything.
    private func numbers(in page: PageRequest) -> [String] {
        switch resource.paging {
        case .linkHeader, .cursor, .headerCursor: break
        default: return []
        }
        guard page.number > 1, let first = try? first().url else { return [] }
        return page.url.queryParameters.map(\.name).filter {
            let number = page.url.queryNumber($0)
            return $0 != resource.pageSizes?.parameter && number != nil && number != first.queryNumber($0)
        }
    }
}

extension Paging {
    /// This paging with pages of `size` records.
    func sized(_ size: Int?) -> Paging {
        guard let size else { return self }
        switch self {
        case .page(var numbers):
            numbers.size = size
            return .page(numbers)
        case .offset(var offsets):
            offsets.limit = size
            return .offset(offsets)
        default: return self
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingPaging

/// How many records a page has: `size:`, a number, or the largest and smallest one that may be asked for.
enum PageSizeGrammar {
    /// The value of the key.
    struct Setting: Sendable {
        var maximum: Int
        /// Nil if the size stays the same.
        var minimum: Int?
    }

    static let amount = ValueType<Int>.integer(1...1_000_000)
    static let expected = "a number such as 100, or { max: 1000, min: 10 }"

    static let parameter = Keyword("size_param", ParameterGrammar.name, "The parameter for the page size.")
    static let size = Keyword(
        "size", type,
        "Records on a page, a number: a shorter one is the last, unless the origin has a smaller maximum. With { max, min }: "
            + "pages that the line loses are asked for in smaller ones.")
    static let entries = [parameter.entry, size.entry]

    private static let maximum = Keyword("max", amount, isRequired: true, "The size of the first request.")
    private static let minimum = Keyword("min", amount, isRequired: true, "The smallest size that is asked for.")

    private static let range = Shape<Setting>([maximum.entry, minimum.entry]) { object, reading in
        guard let maximum = object.value(maximum, &reading), let minimum = object.value(minimum, &reading) else {
            return nil
        }
        guard minimum <= maximum else {
            reading.fault(
                "\(reading.subject) has a minimum above its maximum", at: object.place,
                expected: "min: \(maximum) or less")
            return nil
        }
        return Setting(maximum: maximum, minimum: minimum)
    }

    private static let type = ValueType<Setting>.scalar(
        amount.map { amount, _, _ in Setting(maximum: amount) }, orMap: range.type, expected)

    /// The sizes that may be asked for; nil where the listing has no size, or the paging itself sends its one size.
    ///
    /// - Parameter usual: the parameter for the size; nil if `size_param` must name it.
    /// - Parameter isNumbered: whether the paging itself sends a size that stays the same.
    static func sizes(
        _ object: ObjectReader, in usual: Paging.Parameter? = nil, isNumbered: Bool = false, _ reading: inout Reading
    ) -> PageSizes? {
        guard let setting = object.value(size, &reading), let place = object.entry(size.name)?.place,
            setting.minimum != nil || !isNumbered
        else { return nil }
        switch usual ?? ParameterGrammar.parameter(parameter, object, &reading) {
        case .query(let name):
            return PageSizes(in: name, maximum: setting.maximum, minimum: setting.minimum ?? setting.maximum)
        case .body:
            reading.fault(
                "'size'\(reading.subject.inOwner) belongs into the query, and 'in' says body", at: place,
                expected: isNumbered ? amount.expected : "a size in the body of the request itself")
        case nil where object.entry(parameter.name) == nil:
            reading.fault("no parameter sends 'size'\(reading.subject.inOwner)", at: place, expected: "size_param")
        case nil: break
        }
        return nil
    }
}

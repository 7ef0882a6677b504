// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingJSON

/// Where requests carry pagination parameters: `in`, with `param`, `size_param` and `limit_param`.
enum ParameterGrammar {
    enum Carrier: String, Sendable, CaseIterable {
        case query
        case body
    }

    static let place = Keyword(
        "in", ValueType<Carrier>.choice, default: "query",
        "The place of the parameters: the query, or the body of a POST, where they may be JSON paths.")

    static let name = ValueType<String>.text("the name of a parameter")

    /// The parameter that `keyword` names; nil if it is missing, or invalid, which is then noted.
    static func parameter(
        _ keyword: Keyword<String>, _ object: ObjectReader, _ reading: inout Reading
    ) -> Paging.Parameter? {
        guard let name = object.located(keyword, &reading) else { return nil }
        let isPath = name.value.hasPrefix("$.") || name.value.hasPrefix("$[")
        guard carrier(object, &reading) == .body else {
            guard isPath else { return .query(name.value) }
            reading.fault(
                "\(name.subject) is a JSON path, but query parameters have names", at: name.place, expected: "in: body")
            return nil
        }
        guard isPath else { return .body(JSONPath(member: name.value)) }
        guard let path = try? JSONPath(parsing: name.value), path.memberNames != nil else {
            reading.fault(
                "\(name.subject) is \(Subject.quoted(name.value)), which is not a member of the body", at: name.place,
                expected: "a JSON path of members such as $.page.after")
            return nil
        }
        return .body(path)
    }

    /// Returns a function that makes a parameter from a default name.
    static func usual(_ object: ObjectReader, _ reading: inout Reading) -> (String) -> Paging.Parameter {
        let isBody = carrier(object, &reading) == .body
        return { isBody ? .body(JSONPath(member: $0)) : .query($0) }
    }

    /// Read once per parameter; duplicate faults are removed later.
    private static func carrier(_ object: ObjectReader, _ reading: inout Reading) -> Carrier {
        object.value(place, &reading) ?? .query
    }
}

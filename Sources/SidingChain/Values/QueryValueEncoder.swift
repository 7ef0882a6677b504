/// Turns an `Encodable` value into a ``QueryValue``, so that one type serves JSON, queries, forms and header fields.
///
/// Integers stay integers, those beyond `Int64` become their digits as text; truth values stay truth values; a nil
/// member is ``QueryValue/null``, about which ``QueryEncoding/nulls`` decides. A `Date` is an ISO 8601 text in UTC, `Data`
/// is Base64, a `URL` its text, a `Decimal` its digits.
public struct QueryValueEncoder: Sendable {
    /// How dates are written.
    enum DateStrategy: Sendable {
        /// `2026-03-01T09:05:00Z`
        case iso8601
        /// `Sun, 01 Mar 2026 09:05:00 GMT`
        case httpDate
    }

    let dates: DateStrategy

    public init() {
        dates = .iso8601
    }

    init(dates: DateStrategy) {
        self.dates = dates
    }

    /// The value as a tree.
    ///
    /// - Throws: ``Failure/Reason/invalidRequest`` that names the type and the coding path of what has no form here: a
    ///   number that is not finite, a date outside the years 1 to 9999. What user code throws is
    ///   ``Failure/Reason/userCode``.
    public func encode<Value: Encodable>(_ value: Value) throws(Failure) -> QueryValue {
        let root = QueryValueSlot()
        do {
            try QueryValueElement(root, at: [], dates: dates).encode(value)
            return try root.value(at: [])
        } catch {
            throw Failure.unencodable(error, in: Value.self)
        }
    }

    /// The members of a value that must be an object.
    ///
    /// - Parameter purpose: what the members are for, such as "form fields", for the error.
    func members<Value: Encodable>(of value: Value, for purpose: String) throws(Failure) -> [String: QueryValue] {
        let root = try encode(value)
        guard case .object(let members) = root else {
            throw Failure(
                .invalidRequest, phase: .notSent,
                detail: "\(Value.self) cannot be sent as \(purpose): its root is \(root.kind), and each of them needs "
                    + "a name; wrap it in an object")
        }
        return members
    }
}

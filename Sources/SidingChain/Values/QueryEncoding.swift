/// Turns typed query parameters into the query of a URL, the same way each time.
///
/// Names are sorted at every level. Everything but the unreserved characters of RFC 3986 §2.3 is percent-encoded, `+`
/// included, since form decoders read it as a space. Empty arrays and objects are left out.
public struct QueryEncoding: Sendable, Hashable {
    /// How truth values are written.
    public enum BoolStrategy: String, Sendable, Codable {
        /// `1` and `0`.
        case asInt = "int"
        /// `true` and `false`.
        case asBool = "text"
    }

    /// How lists are written.
    public enum ArrayStrategy: String, Sendable, Codable {
        /// `a[]=1&a[]=2`, the brackets encoded.
        case brackets
        /// `a=1&a=2`
        case noBrackets = "plain"
        /// `a=1,2`, each item encoded; a list that holds lists or objects is written in brackets, as it has no such form.
        case comma
    }

    /// Whether null is written at all.
    public enum NullStrategy: String, Sendable, Codable {
        case leaveOut = "leave_out"
        /// `n=`
        case empty
    }

    /// How objects are written.
    public enum DictionaryStrategy: String, Sendable, Codable {
        /// `d[age]=23`, the brackets encoded.
        case brackets
        /// `d.age=23`
        case dots
    }

    public var bools: BoolStrategy
    public var arrays: ArrayStrategy
    public var nulls: NullStrategy
    public var dictionaries: DictionaryStrategy

    /// Ints for bools, brackets for arrays and objects, nulls left out, unless said otherwise.
    public init(
        bools: BoolStrategy = .asInt, arrays: ArrayStrategy = .brackets, nulls: NullStrategy = .leaveOut,
        dictionaries: DictionaryStrategy = .brackets
    ) {
        (self.bools, self.arrays, self.nulls, self.dictionaries) = (bools, arrays, nulls, dictionaries)
    }

    /// The encoded query without `?`; empty where there is nothing to say.
    public func encode(_ parameters: [String: QueryValue]) -> String {
        guard !parameters.isEmpty else { return "" }
        var query = ""
        query.reserveCapacity(24 * parameters.count)
        forEachField(of: parameters) { field in
            if !query.isEmpty { query += "&" }
            query += Self.escape(field.name)
            query += "="
            query += Self.escape(field.value)
            for item in field.further {
                query += ","
                query += Self.escape(item)
            }
        }
        return query
    }

    /// `text` with every byte outside the unreserved set of RFC 3986 percent-encoded.
    public static func escape(_ text: String) -> String {
        guard !text.utf8.allSatisfy(isUnreserved) else { return text }
        var escaped = ""
        for byte in text.utf8 {
            if isUnreserved(byte) {
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                escaped += byte < 16 ? "%0" : "%"
                escaped += String(byte, radix: 16, uppercase: true)
            }
        }
        return escaped
    }

    /// RFC 3986 §2.3
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }
}

extension HTTPURL {
    /// This URL with an encoded query added behind its own.
    public func appending(encodedQuery addition: String) -> HTTPURL {
        guard !addition.isEmpty else { return self }
        guard let query, !query.isEmpty else { return with(query: addition) }
        return with(query: String(joining: query, "&", addition))
    }

    /// This URL with each parameter of `names` taken out of its query, and each whose value is one of `values`, encoded
    /// spellings included.
    public func removingQuery(named names: Set<String>, valued values: Set<String> = []) -> HTTPURL {
        guard query != nil, !names.isEmpty || !values.isEmpty else { return self }
        let kept = queryParameters.filter { parameter in
            let value = parameter.value.map { HTTPURL.decode(String($0)) }
            return !names.contains(parameter.name) && !(value.map(values.contains) ?? false)
        }.map(\.text)
        return with(query: kept.isEmpty ? nil : kept.joined(separator: "&"))
    }

    /// This URL with one query parameter set to `value`, an earlier one of that name taken out.
    public func settingQuery(_ name: String, to value: String) -> HTTPURL {
        removingQuery(named: [name])
            .appending(encodedQuery: "\(QueryEncoding.escape(name))=\(QueryEncoding.escape(value))")
    }

    /// Percent-decodes a query name or value; bytes that are no UTF-8 become the replacement character.
    public static func decode(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let first = rest.popFirst() {
            let digits = rest.prefix(2)
            if first == UInt8(ascii: "%"), digits.count == 2,
                digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
                let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(first == UInt8(ascii: "+") ? UInt8(ascii: " ") : first)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

internal import SidingChain
internal import SidingJSON

/// Decodes the envelope values that paging needs.
enum Envelope {
    /// - Parameter token: the declared path of a token. The token may also be an array or object, and must be a value that a
    ///   request can repeat. Elsewhere only scalars count.
    static func values(
        _ values: [EnvelopeValue?], _ paths: [JSONPath], tokenAt token: JSONPath?, _ bytes: [UInt8]
    ) throws(Failure) -> [JSONPath: EnvelopeScalar] {
        try bytes.withUnsafeBufferPointer { (page) throws(Failure) -> [JSONPath: EnvelopeScalar] in
            let page = UnsafeRawBufferPointer(page)
            var found: [JSONPath: EnvelopeScalar] = [:]
            for (path, value) in zip(paths, values) {
                guard let value else { continue }
                if path == token {
                    found[path] = try EnvelopeScalar(value, in: page)
                } else if value.kind != .array, value.kind != .object {
                    found[path] = try? EnvelopeScalar(value, in: page)
                }
            }
            return found
        }
    }

    /// The value at `path` of `record`.
    static func value(
        at path: JSONPath, of record: RecordSlice, in bytes: [UInt8]
    ) throws(Failure) -> EnvelopeScalar? {
        try bytes.withUnsafeBufferPointer { (page) throws(Failure) -> EnvelopeScalar? in
            let body = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(page)[record.range])
            guard let value = JSONMembers.value(at: path, in: body) else { return nil }
            return try EnvelopeScalar(value, in: body)
        }
    }
}

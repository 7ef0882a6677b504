internal import SidingChain
internal import SidingJSON

/// Decodes what paging looks at.
enum Envelope {
    /// - Parameter token: where a token is declared to be: it may be an array or an object, and must be one that requests
    ///   can repeat. What is no scalar elsewhere leads nowhere.
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

    /// What `record` holds at `path`.
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

/// A broken rule as it is noted while a record is scanned: plain numbers, made into a `RecordFault` at the record's end.
struct NotedFault {
    enum Rule: UInt8 {
        case duplicateName, loneSurrogate, tooDeep, stringTooLong
    }

    let rule: Rule
    /// In bytes of the page; of a repeated name, its contents.
    let start: Int
    /// Of a repeated name; otherwise 0.
    let count: Int

    func fault(in document: UnsafePointer<UInt8>, limits: JSONLimits) -> RecordFault {
        switch rule {
        case .duplicateName:
            let name = UnsafeRawBufferPointer(start: document + start, count: count)
            return .duplicateName(JSONString.decode(name) ?? String(decoding: name, as: UTF8.self), offset: start - 1)
        case .loneSurrogate: return .loneSurrogate(offset: start)
        case .tooDeep: return .tooDeep(limit: limits.maxDepth, offset: start)
        case .stringTooLong: return .stringTooLong(limit: limits.maxStringBytes, offset: start)
        }
    }
}

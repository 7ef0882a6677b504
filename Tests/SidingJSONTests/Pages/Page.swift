// SPDX-License-Identifier: Apache-2.0
import SidingJSON

/// A page under test, and what a reader makes of it.
struct Page {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }
    init(_ text: String) { bytes = Array(text.utf8) }

    func read(_ reader: PageReader) throws(PageFault) -> PageContents {
        try bytes.span.bytes.withUnsafeBytes { (buffer) throws(PageFault) in try reader.read(buffer) }
    }

    func read(
        records: String? = nil, key: [String] = ["$.id"], envelope: [String] = [], limits: JSONLimits = JSONLimits()
    ) throws -> PageContents {
        let reader = PageReader(
            records: try records.map { try JSONPath(parsing: $0) }, key: try key.map { try JSONPath(parsing: $0) },
            envelope: try envelope.map { try JSONPath(parsing: $0) }, limits: limits)
        return try read(reader)
    }

    func fault(records: String? = nil, envelope: [String] = [], limits: JSONLimits = JSONLimits()) throws -> PageFault?
    {
        do {
            _ = try read(records: records, envelope: envelope, limits: limits)
            return nil
        } catch let fault as PageFault {
            return fault
        }
    }

    /// The record's key as text, or nil where it has a fault.
    func key(_ record: RecordSlice) -> String? {
        guard case .key(let key) = record.outcome else { return nil }
        return bytes.withUnsafeBytes { key.text(in: $0) }
    }

    func body(_ record: RecordSlice) -> String {
        String(decoding: bytes[record.range], as: UTF8.self)
    }

    func string(_ value: EnvelopeValue?) -> String? {
        bytes.withUnsafeBytes { value?.string(in: $0) }
    }

    func text(_ value: EnvelopeValue?) -> String? {
        bytes.withUnsafeBytes { value?.text(in: $0) }
    }
}

extension RecordSlice {
    var fault: RecordFault? {
        guard case .fault(let fault) = outcome else { return nil }
        return fault
    }

    var key: RecordKey? {
        guard case .key(let key) = outcome else { return nil }
        return key
    }
}

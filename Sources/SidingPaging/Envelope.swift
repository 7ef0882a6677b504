// SPDX-License-Identifier: Apache-2.0
package import SidingChain
package import SidingJSON

/// Decodes the envelope values that paging needs.
package enum Envelope {
    /// - Parameter token: the declared path of a token: a value that a request can repeat. Elsewhere an object with a URL
    ///   (`{"href": "…"}`) counts as that URL.
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
                } else {
                    found[path] = (try? EnvelopeScalar(value, in: page)).flatMap(\.reference)
                }
            }
            return found
        }
    }

    /// The scalars around the records.
    static func surroundings(
        _ values: [PageContents.Surrounding], _ bytes: [UInt8]
    ) -> [(path: JSONPath, value: EnvelopeScalar)] {
        bytes.withUnsafeBytes { page in
            values.compactMap { value in
                (try? EnvelopeScalar(value.value, in: page)).map { (value.path, $0) }
            }
        }
    }

    /// The scalars of a whole document, without those of `record`, a part of it.
    static func surroundings(
        of record: JSONDocument?, in document: JSONDocument
    ) -> [(path: JSONPath, value: EnvelopeScalar)] {
        var found: [(path: JSONPath, value: EnvelopeScalar)] = []
        guard document.bytes.indices != record?.bytes.indices else { return found }
        // Each part has an allowance of its own: none hides those behind it.
        for (component, part) in document.parts.prefix(mostParts) {
            var left = mostParts
            add(part, at: JSONPath.root.appending(component), besides: record, to: &found, &left)
        }
        return found
    }

    private static let mostParts = 100

    private static func add(
        _ value: JSONDocument, at path: JSONPath, besides record: JSONDocument?,
        to found: inout [(path: JSONPath, value: EnvelopeScalar)], _ left: inout Int
    ) {
        guard left > 0, path.components.count <= 6, value.bytes.indices != record?.bytes.indices else { return }
        left -= 1
        if let scalar = EnvelopeScalar(value) { return found.append((path, scalar)) }
        for (component, part) in value.parts {
            add(part, at: path.appending(component), besides: record, to: &found, &left)
        }
    }

    /// The value at `path` of `record`.
    package static func value(
        at path: JSONPath, of record: RecordSlice, in bytes: [UInt8]
    ) throws(Failure) -> EnvelopeScalar? {
        try bytes.withUnsafeBufferPointer { (page) throws(Failure) -> EnvelopeScalar? in
            let body = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(page)[record.range])
            guard let value = JSONMembers.value(at: path, in: body) else { return nil }
            return try EnvelopeScalar(value, in: body)
        }
    }
}

extension JSONDocument {
    /// The members of an object, the elements of an array; none of a scalar.
    fileprivate var parts: [(JSONPath.Component, JSONDocument)] {
        if let members { return members.map { (.member($0.name), $0.value) } }
        return (elements ?? []).enumerated().map { (.index($0.offset), $0.element) }
    }
}

extension PageAnswer {
    /// Adds what the page's body has around its records.
    ///
    /// - Parameters:
    ///   - paths: those of ``PageContents/envelope``.
    ///   - places: those among them of a next page.
    ///   - token: the declared path of a token.
    package mutating func read(
        _ contents: PageContents, of bytes: [UInt8], _ paths: [JSONPath], nextAt places: [JSONPath],
        tokenAt token: JSONPath? = nil
    ) throws(Failure) {
        envelope = try Envelope.values(contents.envelope, paths, tokenAt: token, bytes)
        saysNoNext = EnvelopePlaces.saysNoNext(paths, contents.envelope, at: places)
        surroundings = Envelope.surroundings(contents.surroundings, bytes)
    }
}

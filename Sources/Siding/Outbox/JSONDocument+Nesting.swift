// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON

extension JSONDocument {
    /// An object that holds only `value`, at `path`; nil if the path does not lead through objects only.
    init?(nesting value: JSONDocument, at path: JSONPath) {
        var document = value
        for component in path.components.reversed() {
            guard case .member(let name) = component else { return nil }
            document = JSONDocument(object: [name: document])
        }
        self = document
    }

    /// The document with `value` at `path`, unless it has a value there or the path does not lead through objects only.
    func adding(_ value: JSONDocument, at path: JSONPath) -> JSONDocument {
        guard self.value(at: path) == nil, let patch = JSONDocument(nesting: value, at: path) else { return self }
        return JSONMergePatch(patch).applied(to: self)
    }
}

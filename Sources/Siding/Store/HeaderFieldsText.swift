// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes

/// Header fields as they are stored: a JSON array of pairs of name and value, in order, as a field may occur more than once.
enum HeaderFieldsText {
    static func json(_ fields: some Sequence<HTTPField>) throws -> String {
        try Store.json(fields.map { [$0.name.rawName, $0.value] })
    }

    /// - Parameter name: what the text is, for the message.
    /// - Throws: ``StoreError/Kind/corrupt``
    static func fields(_ json: String, as name: String) throws -> HTTPFields {
        var fields = HTTPFields()
        for pair in try Store.decode([[String]].self, json, as: name) {
            guard pair.count == 2, let field = HTTPField.Name(pair[0]) else {
                throw StoreError(.corrupt, "\(name) cannot be read: a pair has no valid name and value")
            }
            fields.append(HTTPField(name: field, value: pair[1]))
        }
        return fields
    }
}

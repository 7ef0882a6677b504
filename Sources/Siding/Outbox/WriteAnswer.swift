// SPDX-License-Identifier: Apache-2.0
/// An origin's answer to a write.
package struct WriteAnswer: Sendable, Hashable {
    /// The most bytes of the body that are kept with the entry.
    package static let bodyLimit = 65_536
    /// The members in which an answer shows the object of its write, where no path to it is declared.
    static let wrappers = ["data", "result"]

    package var status: Int
    package var contentType: String?
    /// The validator of the record in the body (RFC 9110 §8.8.3), unchanged.
    package var etag: String?
    /// The last part of the path in `Location`, if that is one below the URL of the write: the id of a created record (RFC 9110
    /// §10.2.2).
    package var createdID: String?
    /// The URL of the GET that fetched the record; nil for the answer to the write itself.
    package var fetchedFrom: String?
    /// The whole body: a record in it is saved to the store.
    package var body: [UInt8]

    package init(status: Int, contentType: String?, etag: String? = nil, body: [UInt8]) {
        (self.status, self.contentType, self.etag, self.body) = (status, contentType, etag, body)
    }
}

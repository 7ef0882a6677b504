// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// Digests that compare requests without storing them: whether a request under a known idempotency key is the same one.
enum RequestDigest {
    static func of(_ method: String, _ url: String, _ headers: String, _ body: [UInt8]?) -> String {
        // No part holds a NUL, so different requests give different texts.
        let parts = Array("\(method)\0\(url)\0\(headers)\0".utf8)
        return SHA256.hexadecimal(parts + (body == nil ? [0] : [1]) + (body ?? []))
    }

    static func of(_ request: StoredRequest) -> String {
        of(request.method, request.url, request.headers, request.body)
    }

    static func of(entry: String, _ database: borrowing some Queryable & ~Copyable) throws -> String {
        guard let request = try OutboxRequestsTable.load(entry, database) else {
            throw StoreError(.corrupt, "queue entry \(entry) has no request")
        }
        return of(request)
    }
}

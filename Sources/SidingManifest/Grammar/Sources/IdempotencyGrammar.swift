// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Siding

/// The origin's promise to act only once per key: `idempotency:`.
enum IdempotencyGrammar {
    private static let header = Keyword(
        "header", .headerName, default: "Idempotency-Key", "The header field that carries the key.")
    private static let lifetime = Keyword(
        "lifetime", .duration, default: "24h", "How long the origin remembers a key.")

    static let shape = Shape<Idempotency>([header.entry, lifetime.entry]) { object, reading in
        var promise = Idempotency()
        if let field = object.value(header, &reading) { promise.field = field }
        if let lifetime = object.value(lifetime, &reading) { promise.lifetime = lifetime }
        return promise
    }
}

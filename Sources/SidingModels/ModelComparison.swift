// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

/// Compares models by the JSON that this program writes of them. So neither the origin's spelling of a record nor members that
/// the type lacks make a difference.
struct ModelComparison<Model: Encodable> {
    private let encoder: JSONEncoder

    init(_ coding: RecordCoding) {
        encoder = coding.encoder()
    }

    /// Whether `body`, which this program wrote of a model, is that of `stored`. A model that cannot be encoded equals none.
    func isSame(_ body: [UInt8], as stored: Model) -> Bool {
        (try? encoder.encode(OrderedValue(stored)))?.elementsEqual(body) ?? false
    }

    /// A number by which a later model is compared, so that the model need not be kept.
    func digest(of model: Model) -> Int {
        // By chance another number than before: a model that cannot be encoded equals none.
        guard let json = try? encoder.encode(OrderedValue(model)) else { return .random(in: .min ... .max) }
        var hasher = Hasher()
        json.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}

// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON

extension HTTPFailure {
    /// How the origin refused a request if others may be refused so too, such as for rights that the credentials lack: its status and
    /// its words. Nil for what concerns one record (409, 412, 422, 428), and where it asks to wait or for a sign-in.
    ///
    /// - Parameter isOfWrite: whether equal 404s and 410s count, as an origin in the middle of a deployment may answer. The listing of
    ///   a parent that is gone has them for itself.
    func refusal(isOfWrite: Bool) -> String? {
        guard status >= 400, status != 422, !asksToWait, !speaksOfLimit else { return nil }
        switch statusClass {
        case .gone where !isOfWrite: return nil
        case .refused, .notImplemented, .gone:
            return [reasonPhrase.isEmpty ? "\(status)" : "\(status) \(reasonPhrase)", words]
                .compactMap(\.self).joined(separator: ": ")
        case .unauthorized, .requestTimeout, .tooEarly, .backOff, .insufficientStorage, .portal, .conflict,
            .serverError, .unexpected:
            return nil
        }
    }

    /// The sentence of the answer, or the JSON in which none is found: two of them may name different members.
    private var words: String? {
        if let text = errorText(hiding: { $0 }) { return text }
        guard (try? JSONDocument(body)) != nil else { return nil }
        return PlainText.oneLine(String(decoding: body, as: UTF8.self), limit: 200).nonEmpty
    }
}

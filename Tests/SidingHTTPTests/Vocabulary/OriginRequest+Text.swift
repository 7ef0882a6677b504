// SPDX-License-Identifier: Apache-2.0
import SidingOrigin

extension OriginRequest {
    /// Method and target, as in the request line.
    var line: String { "\(method) \(target)" }

    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }
}

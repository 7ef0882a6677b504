// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import Siding
internal import SidingChain

/// Formats a stored JSON value on one line, safe for a terminal.
package enum OneLineJSON {
    package static func text(_ json: [UInt8]) -> String {
        var writer = JSONWriter()
        json.withUnsafeBytes { writer.raw($0) }
        return PlainText.oneLine(String(decoding: writer.bytes, as: UTF8.self), limit: .max)
    }
}

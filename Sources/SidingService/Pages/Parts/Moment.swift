// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingInspection

/// A time, as age in the text and absolute for machines and on hover.
struct Moment: Sendable {
    let stamp: String
    let text: String

    init(_ time: Timestamp, _ format: MessageFormat) {
        stamp = time.rfc3339
        text = format.time(time)
    }
}

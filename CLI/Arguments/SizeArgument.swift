// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingChain

/// A size on the command line: `500KB`, `2MiB`, or plain bytes.
struct SizeArgument: ExpressibleByArgument, Sendable {
    let bytes: Int

    init?(argument: String) {
        guard let bytes = ByteSize.parse(argument), bytes > 0 else { return nil }
        self.bytes = bytes
    }
}

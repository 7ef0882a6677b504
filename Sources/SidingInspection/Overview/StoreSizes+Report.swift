// SPDX-License-Identifier: Apache-2.0
package import Siding
internal import SidingChain

extension StoreSizes {
    /// The parts as JSON, the largest first: `{"part", "resource", "bytes"}`.
    package var objects: [JSONObject] {
        sizes.map { ["part": $0.part.rawValue, "resource": $0.resource, "bytes": $0.bytes] }
    }

    /// The largest parts on one line: `records of posts 12 MB, history 3 MB, free 1 MB`.
    package func line(limit: Int = 4) -> String {
        sizes.filter { $0.bytes > 0 }.prefix(limit).map { "\($0.name) \(MessageFormat.size($0.bytes))" }
            .joined(separator: ", ")
    }
}

extension StoreSizes.Size {
    /// The name of the part: `records of posts`. The tables of the queue have a size also while it is empty.
    package var name: String {
        let part = part == .queue ? "queue tables" : part.rawValue.replacing("_", with: " ")
        return resource.map { "\(part) of \($0)" } ?? part
    }
}

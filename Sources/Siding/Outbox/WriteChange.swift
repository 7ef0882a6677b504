// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes
package import SidingChain

/// An operator's changes to the request of a write.
package struct WriteChange: Sendable, Hashable {
    /// Nil keeps the URL. An edit stays on its record.
    package var url: HTTPURL?
    package var body: [UInt8]?
    package var headerFields: HTTPFields?
    /// Whether the entry returns to the queue at once, which is the default; otherwise it is held until released.
    package var releases: Bool

    package init(url: HTTPURL? = nil, body: [UInt8]? = nil, headerFields: HTTPFields? = nil, releases: Bool = true) {
        (self.url, self.body, self.headerFields, self.releases) = (url, body, headerFields, releases)
    }
}

// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain

/// The next page is on another origin.
struct ForeignNextPage: Error {
    let page: HTTPURL
    let next: HTTPURL

    /// What to change, if its address differs from that of its page in nothing but the origin; nil for any other.
    var hint: String? {
        guard next.path == page.path else { return nil }
        guard page.scheme == "https", next.scheme == "http", next.host == page.host else {
            return
                "the address differs only in its origin: if that is the same API, write \(next.origin) into 'base_url'"
        }
        return
            "the origin writes http into its links, as some do behind a proxy, and Siding stays with https: have the "
            + "links corrected, or declare numbered pages or a token (paginate: { type: page | offset | cursor, … })"
    }
}

// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes

extension HTTPFields {
    /// The entity tag of an answer (RFC 9110 §8.8.3), as the origin wrote it; nil for none, an empty one, or several.
    ///
    /// An answer has one entity tag. Of several, say of a framework and of a cache before it, nobody knows which one follows
    /// the content: a condition with all of them holds as long as any of them does, and would hide each change for ever.
    package var entityTag: String? {
        let tags = self[values: .eTag]
        return tags.count == 1 ? tags.first?.singleEntityTag : nil
    }

    /// The time at which an answer last changed (RFC 9110 §8.8.2), as the origin wrote it; nil for none, an empty one, or several.
    package var lastModified: String? {
        let times = self[values: .lastModified]
        return times.count == 1 ? times[0].nonEmpty : nil
    }
}

extension String {
    /// The text of an `ETag` field; nil if it is empty, `*`, which stands for any, or a list, in which proxies join several
    /// fields. What lacks the quotes of an entity tag is no list.
    package var singleEntityTag: String? {
        self == "*"
            ? nil : utf8.contains(UInt8(ascii: ",")) && prefixMatch(of: /(W\/)?"[^"]*"\s*,/) != nil ? nil : nonEmpty
    }

    /// Whether a 304 with the entity tag `other` is about the content with this one: compared weakly, as the origin did (RFC 9110
    /// §13.1.2), and without the suffix by which some servers mark compressed content.
    package func isSameEntity(as other: String) -> Bool { opaqueTag == other.opaqueTag }

    private var opaqueTag: String {
        String(hasPrefix("W/") ? dropFirst(2) : self[...]).replacing("-gzip\"", with: "\"")
    }
}

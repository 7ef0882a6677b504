// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingChain

/// The value being read, as named in faults: `'max_body' in 'http' of source 'blog'`.
struct Subject: Sendable, CustomStringConvertible {
    /// The key of the value; nil if the subject is the owner itself.
    let key: String?
    /// The owner of the key; empty for the file itself.
    let owner: String
    /// The position of the key, for faults without a better one.
    let place: Place

    var description: String {
        guard let key else { return owner.isEmpty ? "the file" : owner }
        return owner.isEmpty ? Self.quoted(key) : "\(Self.quoted(key)) in \(owner)"
    }

    /// The subject for `key` of this map.
    func member(_ key: String, at place: Place) -> Subject {
        Subject(key: key, owner: ownerOfMembers, place: place)
    }

    /// The subject for an item of this list.
    func item(_ number: Int, at place: Place) -> Subject {
        Subject(key: nil, owner: "item \(number) of \(self)", place: place)
    }

    /// This subject as the owner of its map's keys, as named after "in".
    var ownerOfMembers: String {
        guard let key else { return owner }
        return owner.isEmpty ? Self.quoted(key) : "\(Self.quoted(key)) of \(owner)"
    }

    /// " in resource 'issues'"; " at the top level" for the file.
    var inOwner: String { ownerOfMembers.isEmpty ? " at the top level" : " in \(ownerOfMembers)" }

    static func quoted(_ name: String) -> String { "'\(PlainText.oneLine(name, limit: 60))'" }
}

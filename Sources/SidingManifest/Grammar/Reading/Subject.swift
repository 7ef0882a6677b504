internal import SidingJSON
internal import SidingChain

/// What is being read, in the words that faults use: `'max_body' in 'http' of source 'blog'`.
struct Subject: Sendable, CustomStringConvertible {
    /// The key whose value is read; nil where the owner itself is.
    let key: String?
    /// Who owns the key; empty for the file itself.
    let owner: String
    /// Where a fault points that has no better place: the key.
    let place: Place

    var description: String {
        guard let key else { return owner.isEmpty ? "the file" : owner }
        return owner.isEmpty ? Self.quoted(key) : "\(Self.quoted(key)) in \(owner)"
    }

    /// The subject of `key` inside this one's map.
    func member(_ key: String, at place: Place) -> Subject {
        Subject(key: key, owner: ownerOfMembers, place: place)
    }

    /// The subject of an item inside this one's list.
    func item(_ number: Int, at place: Place) -> Subject {
        Subject(key: nil, owner: "item \(number) of \(self)", place: place)
    }

    /// What stands behind "in" for the keys of this subject's map.
    var ownerOfMembers: String {
        guard let key else { return owner }
        return owner.isEmpty ? Self.quoted(key) : "\(Self.quoted(key)) of \(owner)"
    }

    /// " in resource 'issues'"; " at the top level" for the file.
    var inOwner: String { ownerOfMembers.isEmpty ? " at the top level" : " in \(ownerOfMembers)" }

    static func quoted(_ name: String) -> String { "'\(PlainText.oneLine(name, limit: 60))'" }
}

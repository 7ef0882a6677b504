// SPDX-License-Identifier: Apache-2.0
/// Converts the `primary_key` of a stream to `key`.
struct AirbyteKey {
    let stream: AirbyteComponent
    let additions: AirbyteAdditions

    func add(to resource: inout ImportedResource, _ imported: inout ImportedConfig) {
        let parts = (stream["primary_key"]?.itemsOrSelf ?? []).compactMap { part($0, &imported) }
        guard let first = parts.first else {
            resource.key = .text("id", from: stream.origin)
            return imported.noteUnsupported(
                stream.origin, "it has no 'primary_key', but every resource needs a key",
                hint: "'id' is used: check whether it is right")
        }
        resource.key =
            parts.count == 1 ? first : ConfigNode(.list(parts), from: stream["primary_key"]?.origin ?? first.origin)
    }

    /// A name, or a list of names as a path; nil for an empty one.
    private func part(_ item: InputNode, _ imported: inout ImportedConfig) -> ConfigNode? {
        let names = item.texts
        guard !names.isEmpty else { return nil }
        let isPath = item.items != nil || names[0].hasPrefix("$")
        switch additions.place(of: names) {
        case .own: break
        case .copied(let path): return .text(path, from: item.origin)
        case .made:
            imported.noteUnsupported(
                item.origin, AirbyteAdditions.reason(names),
                hint: "each record would go to the quarantine: write in 'key' a member that the origin sends")
        }
        return .text(isPath ? ImportedPath.text(names) : names[0], from: item.origin)
    }
}

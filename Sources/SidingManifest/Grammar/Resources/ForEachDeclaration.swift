// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingJSON

/// `for_each:`, before its resource is known to exist.
struct ForEachDeclaration: Sendable {
    let subject: Subject
    var resource: Located<String>?
    var parents = ForEach.Parents.all
    var bindings: [NamedMember<JSONPath>] = []
    /// All bound names, including those with faults.
    var names: Set<String> = []
    var concurrency = ForEach.usualConcurrency

    /// The library's form; nil if the parent's name is missing, which was noted.
    var forEach: ForEach? {
        resource.map { resource in
            ForEach(resource.value, parents: parents, bind: bindings.byName(), concurrency: concurrency)
        }
    }

    /// The path with `1` for each bound name.
    func filled(_ path: String) -> String {
        names.reduce(path) { $0.replacing("{\($1)}", with: "1") }
    }

    /// Notes bound names that no request uses: all parents would then have the same listing.
    func checkUse(
        inPath path: String?, query: [String: QueryValue], body: BodyDeclaration, _ reading: inout Reading
    ) {
        for binding in bindings {
            let placeholder = "{\(binding.name)}"
            guard path?.contains(placeholder) == false, !body.holds(placeholder),
                !query.values.contains(where: { $0.holds(placeholder) })
            else { continue }
            reading.fault(
                "'bind' of \(subject) has \(Subject.quoted(binding.name)), which no request uses", at: binding.place,
                expected: "\(placeholder) in path, query or body")
        }
    }
}

/// Checks references between resources.
enum ForEachReferences {
    /// Notes missing parents, and cycles of resources that wait for each other.
    static func check(_ resources: [NamedMember<ResourceDeclaration>], names: [String], _ reading: inout Reading) {
        var parents: [String: String] = [:]
        for member in resources {
            guard let parent = member.value.forEach?.resource else { continue }
            if names.contains(parent.value) {
                parents[member.name] = parent.value
            } else {
                let others = names.filter { $0 != member.name }
                reading.fault(
                    "\(parent.subject) is \(Subject.quoted(parent.value)), which 'resources' does not have",
                    at: parent.place, expected: others.isEmpty ? nil : "one of \(others.joined(separator: ", "))",
                    suggestion: Suggestion.nearest(to: parent.value, among: others))
            }
        }
        for member in resources { checkBindings(of: member, among: resources, &reading) }
        for member in resources {
            guard let parent = member.value.forEach?.resource, isInCircle(member.name, parents) else { continue }
            reading.fault(
                parent.value == member.name
                    ? "\(parent.subject) is the resource itself"
                    : "\(parent.subject) leads back to \(Subject.quoted(member.name)): neither could come first",
                at: parent.place, expected: "a resource that does not wait for this one")
        }
    }

    /// Notes bound members that the parent drops, as bindings are read from stored records.
    private static func checkBindings(
        of child: NamedMember<ResourceDeclaration>, among resources: [NamedMember<ResourceDeclaration>],
        _ reading: inout Reading
    ) {
        guard let forEach = child.value.forEach,
            let parent = resources.first(where: { $0.name == forEach.resource?.value })
        else { return }
        let dropped = MemberRemoval(parent.value.schema.transforms.dropped)
        for binding in forEach.bindings where dropped.takes(binding.value) {
            reading.fault(
                "'bind' of \(forEach.subject) takes \(binding.value.description) from \(Subject.quoted(parent.name)), which "
                    + "drops it",
                at: binding.place, expected: "a member that is stored")
        }
    }

    private static func isInCircle(_ name: String, _ parents: [String: String]) -> Bool {
        var (next, seen) = (parents[name], Set<String>())
        while let one = next, seen.insert(one).inserted {
            if one == name { return true }
            next = parents[one]
        }
        return false
    }
}

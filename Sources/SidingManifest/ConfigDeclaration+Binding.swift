// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingHub

extension ConfigDeclaration {
    /// The sources with their names.
    var namedSources: [Source] {
        sources.map { member in
            var source = member.value
            source.name = member.name
            return source
        }
    }

    private var sourcesByName: [String: Source] {
        Dictionary(namedSources.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The resources with their sources; resources with faults are left out.
    func boundResources(_ reading: inout Reading) -> [AnyResource] {
        let sources = sourcesByName
        checkViewNames(&reading)
        ForEachReferences.check(resources, names: resourceNames, &reading)
        return resources.compactMap { member in
            member.value.resource(named: member.name, sources: sources, names: sourceNames, &reading)
        }
    }

    /// Checks that views of children do not collide with other views.
    private func checkViewNames(_ reading: inout Reading) {
        var taken = Set(resources.map { $0.name.lowercased() })
        for resource in resources {
            for child in resource.value.schema.children {
                let name = child.viewName(of: resource.name)
                guard !taken.insert(name.lowercased()).inserted else { continue }
                let message =
                    "\(resource.value.subject): its children need a view \(Subject.quoted(name)), but another view has that name"
                reading.fault(message, at: resource.place, expected: "another name than '\(child.name)'")
            }
        }
    }

    /// The writes with their sources; writes with faults are left out.
    func boundWrites(to resources: [AnyResource], _ reading: inout Reading) -> [WriteDeclaration] {
        let sources = sourcesByName
        return writes.compactMap { member in
            member.value.declaration(
                named: member.name, sources: sources, names: sourceNames, resources: resources, &reading)
        }
    }

    /// The targets with the names of their resources; targets with faults are left out.
    func boundTargets(of resources: [AnyResource], _ reading: inout Reading) -> [HubTarget] {
        // A file without resources and writes has been reported.
        guard !resourceNames.isEmpty || !writes.isEmpty else { return [] }
        let shares = Dictionary(resources.map { ($0.name, $0.deletions.most) }) { first, _ in first }
        return targets.compactMap { member in
            var target = member.value.target(named: member.name, among: resourceNames, &reading)
            target?.mostDeleted = shares
            return target
        }
    }
}

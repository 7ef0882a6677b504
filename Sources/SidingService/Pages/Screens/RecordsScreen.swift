// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingInspection

/// `/records`: the resources with stored records, in the config or not.
struct RecordsScreen: Screen {
    static let template = "records"

    struct Resource: Sendable {
        let name: String
        let href: String
        let records: String
        let quarantined: String
        let quarantineHref: String
        let completed: Moment?
    }

    let title = "Records"
    let command = ShellCommand.text("status")
    let resources: [Resource]

    static func load(_ served: ServedStore) async throws -> RecordsScreen {
        let format = MessageFormat(now: served.now, isAbsolute: false)
        let resources = try await served.store.resourceStates().map { state in
            Resource(
                name: state.resource, href: PageLink.path("records", state.resource),
                records: MessageFormat.grouped(state.records), quarantined: MessageFormat.grouped(state.quarantined),
                quarantineHref: PageLink.path("quarantine", query: [("resource", state.resource)]),
                completed: state.completedAt.map { Moment($0, format) })
        }
        return RecordsScreen(resources: resources)
    }
}

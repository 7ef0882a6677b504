// SPDX-License-Identifier: Apache-2.0
import SidingHub
import SidingInspection
import SidingManifest

extension Workspace {
    /// The targets of `publish:`, for what shows their state.
    var publishedTargets: [PublishedTarget] {
        config.targets.map { PublishedTarget($0.name, station: $0.station, resources: $0.resources) }
    }
}

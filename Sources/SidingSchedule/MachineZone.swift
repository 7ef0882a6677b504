// SPDX-License-Identifier: Apache-2.0
internal import Foundation
package import Siding
internal import SidingJSON

/// The time zone of this machine, which cron expressions without a zone follow.
package enum MachineZone {
    /// What is wrong with the zone, for a schedule that follows it: `TZ` names none, and is passed over.
    package static func caution(for schedule: (any SyncSchedule)?) -> String? {
        guard isFollowed(by: schedule), let name = ProcessInfo.processInfo.environment["TZ"], !name.isEmpty,
            TimeZone(identifier: name) == nil
        else { return nil }
        return
            "TZ is '\(PlainText.oneLine(name, limit: 60))', which is not a time zone such as Europe/Berlin: the schedule follows "
            + "\(TimeZone.current.identifier). Correct TZ, or declare 'zone'"
    }

    private static func isFollowed(by schedule: (any SyncSchedule)?) -> Bool {
        if let jittered = schedule as? JitteredSchedule { return isFollowed(by: jittered.base) }
        return (schedule as? CronSchedule)?.followsMachine ?? false
    }
}

// SPDX-License-Identifier: Apache-2.0
public import Siding
public import SidingChain

/// A schedule with each moment delayed by up to `jitter`, so that many machines do not ask an origin at the same moment.
///
/// The delay is a hash (FNV-1a) of the name and the moment, so it is the same after a restart.
public struct JitteredSchedule: SyncSchedule {
    let base: any SyncSchedule
    private let jitter: Duration
    private let name: String

    /// - Parameters:
    ///   - base: the schedule whose moments are delayed.
    ///   - jitter: the longest delay.
    ///   - name: what the delay depends on, such as the names of the machine and the resource.
    public init(_ base: any SyncSchedule, jitter: Duration, name: String) {
        (self.base, self.jitter, self.name) = (base, jitter, name)
    }

    public func next(after last: Timestamp) -> Timestamp {
        let moment = base.next(after: last)
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(name) \(moment.microseconds)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return moment + jitter * (Double(hash >> 11) / Double(1 << 53))
    }
}

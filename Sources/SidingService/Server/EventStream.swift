// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// The events of `/events` (HTML Standard, "Server-sent events"): `changed` after a commit of any process.
///
/// It looks at the database's log once a second, which costs a call of stat(2), and only while somebody listens.
struct EventStream: AsyncSequence, Sendable {
    let path: String
    let clock: any Clock<Duration>

    static let pulse = Duration.seconds(1)
    static let heartbeat = Duration.seconds(15)

    func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    struct Iterator: AsyncIteratorProtocol {
        let stream: EventStream
        /// Nil before the first event.
        private var last: Stamp?
        private var quiet = Duration.zero

        init(stream: EventStream) {
            self.stream = stream
        }

        /// Waits for the next event; nil once the task is cancelled.
        mutating func next() async -> String? {
            guard last != nil else {
                last = Stamp(stream.path)
                // Browsers that lose the connection come back after this time.
                return "retry: 5000\n\n"
            }
            while (try? await stream.clock.sleep(for: pulse)) != nil {
                let stamp = Stamp(stream.path)
                quiet += pulse
                if stamp != last {
                    (last, quiet) = (stamp, .zero)
                    return "event: changed\ndata: {}\n\n"
                }
                guard quiet >= heartbeat else { continue }
                quiet = .zero
                return ": still here\n\n"
            }
            return nil
        }
    }

    /// Every commit writes to the log beside the database (sqlite.org/wal.html).
    private struct Stamp: Equatable {
        private var seconds = 0
        private var nanoseconds = 0
        private var size: Int64 = 0

        init(_ path: String) {
            var found = stat()
            guard stat(path + "-wal", &found) == 0 else { return }
            (seconds, nanoseconds) = (found.st_mtim.tv_sec, found.st_mtim.tv_nsec)
            size = Int64(found.st_size)
        }
    }
}

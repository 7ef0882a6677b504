// SPDX-License-Identifier: Apache-2.0
package import SidingChain
internal import SidingCredentials

/// Every number of trying again and waiting, with its unit and its reason; `Docs/Queue.md` has them as a table.
///
/// Three more have a type of their own, as a program sets them for a source: ``SidingChain/RetryPolicy`` (two retries
/// within a run, of waits up to 5 s; then 2 s, doubling, up to an hour), ``Source/expiry`` and ``WriteProbe/after``.
/// None of these numbers grows with the size of a queue or a listing: each counts one request, one resource or one
/// source.
package enum RetryRules {
    // MARK: One request

    /// Attempts for a host name that does not exist: a mistake in the config seldom heals, but a name server may be
    /// wrong for a while.
    static let unknownHostAttempts = 3
    /// Attempts for an answer that cannot be read: the origin gives the same one again, unless the line damaged it.
    static let unreadableAnswerAttempts = 3
    /// Attempts that a 409 refuses although the key was sent before: the origin may still be processing the first
    /// one.
    static let keyedConflictAttempts = 3
    /// Attempts for an edit whose conflict policy sends it again: if the record changes that often, an operator
    /// decides.
    static let conflictAttempts = 3
    /// Attempts for an edit in conflict whose record cannot be fetched: over half an hour, after which the conflict is decided
    /// without the record.
    static let unfetchedRecordAttempts = 10
    /// Attempts that a 403 refuses with words of a limit: over a quarter of an hour, which most limits need to pass.
    static let limitedRefusalAttempts = 5
    /// Deaths of a sender after which an entry is parked: it may be the entry that ends them.
    static let crashes = 3
    /// The least wait until a certificate that was not trusted, or an origin without storage, is tried again: both need
    /// an operator.
    static let repairWait = Duration.seconds(15 * 60)
    /// The wait if an origin says that it wants to be left alone and not for how long, and until an unspecified quota
    /// is reset. A wait that it sets too short grows up to this.
    static let unspecifiedWait = Duration.seconds(60)
    /// The least wait that an origin may ask for. That of its source grows above it if the origin asks again and again.
    static let leastWait = Duration.seconds(1)
    /// The longest wait of anything: an origin that asks for more is tried once a day.
    static let longestWait = RetryAfter.longest
    /// Between the attempts of an edit in conflict: the next page or answer has the new record soon.
    static let conflictBackoff = Backoff(base: .seconds(2), cap: .seconds(60))

    // MARK: One source

    /// Failed attempts in a row, or writes in a row that are refused in the same way, that close the gate.
    package static let breakerLimit = 5
    /// How long the gate then stays closed: half a minute at least, and longer with each failure since.
    static let breakerBackoff = Backoff(base: .seconds(30), cap: .seconds(600))
    /// While a gate is half-open, one request per this window tests the source. Also the wait without a network,
    /// whose return ends it.
    package static let probeWindow = Duration.seconds(30)
    /// The requests in flight after the first answer that follows an outage; each further answer doubles them.
    static let slowStart = 2
    /// From here on slow start is over.
    static let slowStartEnd = 32
    /// How long a request waits for a rate limit. Limits per minute never postpone a listing, as a reservation ends a
    /// minute after the response.
    static let rateLimitWait = Duration.seconds(90)
    /// The same for a single write, whose caller waits for the result.
    static let rateLimitWaitOfOne = Duration.seconds(5)
    /// Credentials of a source that wants a sign-in. Two releases of the same, as the first refusal may answer a
    /// request that was sent with the ones before; then others, but an origin may lock an account after too many
    /// wrong passwords, and a secret that a program makes anew each time is another one at each reading.
    static let credentials = CredentialLimits(sameAttempts: 2, others: 6, window: .seconds(3_600))

    // MARK: Many requests of one sync

    /// Parents in a row whose listing fails for a while, or is refused in the same way, after which a fan-out ends: the source
    /// fails, not they.
    static let failedParents = 5
    /// Attempts of one parent that may end with a lost connection before the parent counts as failing.
    static let lostLineAttempts = 5
    /// Records in a row without an answer, after which a verification ends. Each batch of it has four.
    static let unansweredRecords = 8
    /// How long until a record that still exists is verified again.
    static let verificationInterval = Duration.seconds(86_400)
    /// Credentials of a resource that failed, before the next moment of its schedule: the same are not tried again, others
    /// as few times as those of a source.
    static let credentialsPerSchedule = CredentialLimits(sameAttempts: 1, others: 6, window: nil)

    /// How long a service leaves a resource alone whose sync failed for good, if its schedule asks more often: the same requests
    /// are refused again, in a fan-out five of them.
    static let failedSyncWait = Duration.seconds(60)

    /// How long a hook that failed is left alone; another incident has it called at once.
    package static let hookBackoff = Backoff(base: .seconds(60), cap: .seconds(3_600))

    /// How long a service leaves a hub alone at most whose publication failed, if its target asks more often: as long as a source
    /// whose gate is closed.
    package static let longestHubWait = breakerBackoff.cap

    // MARK: A running process

    /// The longest pause between two checks of `siding queue run --watch`.
    package static let watchInterval = Duration.milliseconds(500)
    /// The longest pause between two checks of ``Siding/run()``.
    package static let serviceInterval = Duration.seconds(10)
    /// How long a write in flight that may not be sent twice may still be answered after the sender was told to stop.
    /// A service has ten seconds to stop, the recording of the answer included.
    static let stopWait = Duration.seconds(8)
}

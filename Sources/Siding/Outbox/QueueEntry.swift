// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
public import SidingChain

/// A request that is kept in the queue: a page to fetch or a write to deliver.
public struct QueueEntry: Sendable, Hashable {
    /// 26 random characters. Users see the first 8; any unique prefix of at least 4 finds the entry.
    public var id: String
    /// Whether it is a page to fetch or a write.
    public var kind: EntryKind
    /// Where it is on its way; only ``State/queued`` entries are sent.
    public var state: State
    /// Why it is parked; nil for an entry that is not.
    public var reason: ParkReason?
    /// The name of its source.
    public var source: String
    /// The resource of a page, or of the record that a write changes; nil for other writes.
    public var resource: String?
    /// Entries of one lane are sent in order; an entry without a declared lane has one to itself.
    public var lane: String
    /// The HTTP method, such as `POST`.
    public var method: String
    /// Without credentials.
    public var url: String
    /// The page's number in its listing; for fetches only.
    public var pageNumber: Int?
    /// The number of failed attempts that count.
    public var attempts = 0
    /// How often it was tried since it was queued or released, including tries that do not count as failed.
    public var tries = 0
    /// How often the sender of this entry died.
    public var crashes = 0
    /// When it was accepted.
    public var createdAt: Timestamp
    /// The entry is not tried automatically before this time.
    public var nextAttemptAt: Timestamp
    /// Why the last attempt failed; nil before the first one that did.
    public var lastError: RecordedError?
    /// When it was completed; nil while it is open.
    public var completedAt: Timestamp?
    /// Whether this is the oldest open entry of its lane: the others wait for it.
    public var isHead = true
    /// The number of open entries that must complete first.
    public var waitsOn = 0
    /// The configured write that made this entry, such as `issues.create`.
    public var operation: String?
    /// The key of the record of ``resource`` that the write changes; a temporary id until the origin has created the record.
    public var recordKey: String?
    /// Since when the entry is in doubt: an attempt ended without showing whether it arrived, and a delivery probe will ask
    /// the origin. Nil if nothing is in doubt, or if there is no probe.
    public var unknownSince: Timestamp?
    /// Set once the entry was purged: only its key is kept until then, so that it is not reused.
    public var keyKeptUntil: Timestamp?
    /// The earliest time at which it may have reached the origin.
    package var firstSentAt: Timestamp?
    /// The entry that this one replaced.
    package var replaces: String?
    /// The status of the answer that is kept with it; nil if there is none.
    package var answerStatus: Int?
    /// The process that has claimed the entry.
    var owner: String?
    /// Grows with each claim; results recorded with an older token are ignored.
    package var token: Int64 = 0
    /// Whether ``owner`` died, so that the next run takes the entry up. Only ``Store/entries(_:after:limit:)`` finds that out.
    package var hasDeadSender = false

    /// queued → sending → done. An entry may also be parked until an operator acts, or dropped by one.
    public enum State: String, Sendable, Codable, CaseIterable {
        /// Waits for its time, for its lane, or for entries that it depends on.
        case queued
        /// Claimed by a process that is sending it.
        case sending
        /// Not sent before somebody decides; ``QueueEntry/reason`` says why.
        case parked
        /// The origin has the write, or the page was fetched.
        case done
        /// Not delivered: dropped by an operator or a ``ConflictPolicy``, or replaced by another write.
        case dropped

        /// Whether the entry is completed: nothing more happens to it.
        public var isCompleted: Bool { self == .done || self == .dropped }
    }

    /// Whether the origin may already have the write, so that another request could act twice: a delivery probe or an operator
    /// has to find out. Nothing changes such an entry by itself.
    public var mayHaveArrived: Bool {
        let isInDoubt = unknownSince != nil || reason?.isDoubt == true
        return hasUnansweredTry && (isInDoubt || HTTPRequest.Method(method)?.isIdempotent != true)
    }

    /// Whether the doubt is about an answer with a success status: the origin may have acted on a part of the write.
    package var isDoubtOfAnswer: Bool {
        reason == .uncertain && lastError?.status.map { (200..<300).contains($0) } ?? false
    }

    /// Whether a try of the write was not answered for certain, so that the origin may have acted on it.
    package var hasUnansweredTry: Bool {
        if state.isCompleted || kind == .fetch { return false }
        if unknownSince != nil || reason?.isDoubt == true { return true }
        // The origin answered the last attempt, and each one before it: else it would be `uncertain`.
        if reason == .rejected || reason == .conflict, lastError?.status != nil { return false }
        return firstSentAt != nil
    }

    /// Whether the origin has only accepted the write (202), and carries it out later.
    package var isOnlyAccepted: Bool { state == .done && kind == .write && answerStatus == 202 }

    /// The first 8 characters of ``id``, as users see it.
    public var shortID: String { String(id.prefix(8)) }
}

extension QueueEntry: CustomStringConvertible {
    /// One line: `parked (rejected) POST https://api.example.com/issues`. Values of parameters that may be secret are left out.
    public var description: String {
        let shown = (try? HTTPURL(url)).map { Redaction.url($0) } ?? String(url.prefix { $0 != "?" })
        return "\(state)\(reason.map { " (\($0.rawValue))" } ?? "") \(method) \(shown)"
    }
}

/// What an entry of the queue holds.
public enum EntryKind: String, Sendable, Codable, CaseIterable {
    /// A page of a listing that failed; the next sync resumes with it.
    case fetch
    /// A write of the program or the user.
    case write
}

extension ParkReason {
    /// Whether an entry parked for this reason may have arrived. An operator who releases it has checked the origin.
    var isDoubt: Bool { self == .uncertain || self == .keyExpired }
}

extension QueueEntry {
    /// Whether the entry has a lane to itself.
    package var isAloneInLane: Bool { lane == Self.ownLane(of: id) }

    /// The lane of a write that names none.
    static func ownLane(of id: String) -> String { "entry:\(id)" }

    /// Whether only an operator action lets the entry continue. Each sync tries other parked fetches again.
    package var waitsForPerson: Bool { state == .parked && (reason == .held || reason == .poison) }

    /// Whether the entry is queued and its wait is over. A wait longer than the longest allowed one was set before the clock
    /// was set back, and counts as over.
    package func isDue(at now: Timestamp) -> Bool {
        state == .queued && (nextAttemptAt <= now || nextAttemptAt > now + RetryRules.longestWait)
    }
}

/// Makes the public ids of queue entries: 26 random characters of Crockford's base 32, which has no letters that look alike.
enum EntryID {
    static let length = 26
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    static func random() -> String {
        // Each number has the bits of twelve characters.
        let numbers = (0..<3).map { _ in UInt64.random(in: .min ... .max) }
        let characters = (0..<length).map { position in
            let bits = numbers[position / 12] >> UInt64(5 * (position % 12))
            return alphabet[Int(bits & 31)]
        }
        return String(decoding: characters, as: UTF8.self)
    }
}

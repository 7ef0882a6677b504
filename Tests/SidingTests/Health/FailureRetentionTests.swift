// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import Testing

/// "What is kept for later", row by row: what becomes of a fetch, of a write that was not sent, of one that may have been
/// sent and may not be sent again, and of one that may.
@Suite struct FailureRetentionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let reason: Failure.Reason
        let fetch: Retention
        let unsent: Retention
        let uncertain: Retention
        let resendable: Retention
        var testDescription: String { reason.name }

        init(_ reason: Failure.Reason, fetch: Retention, unsent: Retention, uncertain: Retention, resendable: Retention)
        {
            (self.reason, self.fetch, self.unsent) = (reason, fetch, unsent)
            (self.uncertain, self.resendable) = (uncertain, resendable)
        }

        /// One and the same for all.
        init(_ reason: Failure.Reason, all: Retention) {
            self.init(reason, fetch: all, unsent: all, uncertain: all, resendable: all)
        }

        /// Queued and counted; a write that may have arrived is parked unless it may go out twice.
        init(counted reason: Failure.Reason) {
            self.init(reason, fetch: counting, unsent: counting, uncertain: .park(.uncertain), resendable: counting)
        }

        /// The run fails; a write waits for a person.
        init(ended reason: Failure.Reason, as park: ParkReason = .rejected) {
            self.init(reason, fetch: .fail, unsent: .park(park), uncertain: .park(park), resendable: .park(park))
        }
    }

    static let counting = Retention.keep(counted: true)
    static let slowly = Retention.keep(counted: true, minimumWait: .seconds(900))
    static let portal = Retention.keep(counted: true, minimumWait: .seconds(30))
    static let three = Retention.keep(counted: true, attempts: 3)

    static let rows: [Row] =
        [
            Row(.noInternetConnection, all: .keep(counted: false)),
            Row(
                .captivePortal, fetch: counting, unsent: portal, uncertain: .park(.uncertain), resendable: portal),
            Row(counted: .temporaryDNS), Row(counted: .tlsHandshake), Row(counted: .proxyUnreachable),
            Row(counted: .proxyFault), Row(counted: .localResource), Row(counted: .connectionLost),
            Row(counted: .protocolViolation), Row(counted: .internalFault), Row(counted: .storage("busy")),
            Row(counted: .system(.unknown("x"))), Row(counted: .system(.connect(errno: 1))),
            Row(.notProcessed, all: counting),
            Row(
                .truncated, fetch: counting, unsent: .park(.uncertain), uncertain: .park(.uncertain), resendable: three),
            Row(.badContent, fetch: three, unsent: .park(.uncertain), uncertain: .park(.uncertain), resendable: three),
            Row(.tlsUntrusted, all: slowly),
            Row(.hostNotFound, all: three),
            Row(
                .credentialUnavailable, fetch: .fail, unsent: counting, uncertain: .park(.uncertain),
                resendable: counting),
            Row(.proxyAuthentication, all: .signIn),
            Row(ended: .tooLarge(limit: 1)), Row(ended: .redirectRefused), Row(ended: .contract),
            Row(ended: .invalidRequest), Row(ended: .userCode),
            Row(ended: .notCached),
            Row(.cancelled, fetch: .release, unsent: .release, uncertain: .park(.uncertain), resendable: .release),
        ] + Failure.TimeoutStage.allCases.map { Row(counted: .timeout($0)) }
        + Failure.ConnectFault.allCases.map { Row(counted: .cantConnectToHost($0)) }

    @Test func `names for records are distinct and stable`() {
        let names = Self.rows.map(\.reason.name)
        #expect(Set(names).count == 28)
        #expect(Failure.Reason.http(HTTPFailure(status: 401)).name == "unauthorized")
        #expect(Failure.Reason.http(HTTPFailure(status: 502)).name == "http502")
    }

    @Test func `every reason has a message of its own`() {
        let words = Self.rows.map(\.reason.description)
        #expect(Set(words).count == words.count)
        #expect(words.allSatisfy { !$0.isEmpty })
        #expect(
            Failure.Reason.http(HTTPFailure(status: 503)).description == "the origin answered 503 Service Unavailable")
        #expect(Failure.Reason.http(HTTPFailure(status: 599)).description == "the origin answered 599")
    }

    @Test(arguments: rows) func `each failure is kept as in its row`(_ row: Row) {
        #expect(Failure(row.reason, phase: .maybeSent).retention(of: .fetch) == row.fetch)
        #expect(Failure(row.reason, phase: .notSent).retention(of: .write(resendable: false)) == row.unsent)
        #expect(Failure(row.reason, phase: .maybeSent).retention(of: .write(resendable: false)) == row.uncertain)
        #expect(Failure(row.reason, phase: .maybeSent).retention(of: .write(resendable: true)) == row.resendable)
    }

    @Test func `a redirect of a write may answer one that was carried out`() {
        let failure = Failure(.redirectRefused, phase: .answered, underlying: RedirectedWrite())
        #expect(failure.retention(of: .write(resendable: false)) == .park(.uncertain))
        #expect(failure.retention(of: .write(resendable: true)) == .park(.rejected))
        #expect(failure.retention(of: .fetch) == .fail)
    }

    @Test func `a failure that may pass by itself is one that keeps a fetch`() {
        let reasons = Self.rows.map(\.reason) + Self.statuses.flatMap(\.codes).map { .http(HTTPFailure(status: $0)) }
        for failure in reasons.map({ Failure($0, phase: .answered) }) {
            let isKept = if case .keep = failure.retention(of: .fetch) { true } else { false }
            #expect(failure.isRetryable == isKept, "\(failure)")
        }
    }

    struct Status: Sendable, CustomTestStringConvertible {
        let codes: [Int]
        let fetch: Retention
        let write: Retention
        let resendable: Retention
        var testDescription: String { "\(codes)" }
    }

    static let statuses: [Status] = [
        Status(codes: [401], fetch: .signIn, write: .signIn, resendable: .signIn),
        Status(
            codes: [429, 503, 511], fetch: .keep(counted: false), write: .keep(counted: false),
            resendable: .keep(counted: false)),
        Status(
            codes: [408, 500, 502, 504, 506, 508, 520, 599], fetch: counting, write: .park(.uncertain),
            resendable: counting),
        // Not processed (RFC 8470 §5.2).
        Status(codes: [425], fetch: counting, write: counting, resendable: counting),
        Status(codes: [507], fetch: slowly, write: .park(.uncertain), resendable: slowly),
        Status(codes: [409, 412, 428], fetch: .fail, write: .park(.conflict), resendable: .park(.conflict)),
        Status(
            codes: [
                300, 302, 304, 399, 400, 402, 403, 404, 405, 406, 410, 411, 413, 414, 415, 416, 417, 421, 422, 431, 451,
                499, 501, 505,
            ],
            fetch: .fail, write: .park(.rejected), resendable: .park(.rejected)),
        Status(codes: [100, 600], fetch: counting, write: .park(.uncertain), resendable: counting),
    ]

    @Test(arguments: statuses) func `each status is kept as in its row`(_ row: Status) {
        for code in row.codes {
            let failure = Failure(.http(HTTPFailure(status: code)), phase: .answered)
            #expect(failure.retention(of: .fetch) == row.fetch, "\(code)")
            #expect(failure.retention(of: .write(resendable: false)) == row.write, "\(code)")
            #expect(failure.retention(of: .write(resendable: true)) == row.resendable, "\(code)")
        }
    }

    @Test func `a cancelled write that may have arrived is not sent again on its own`() {
        let write = RequestKind.write(resendable: false)
        #expect(Failure(.cancelled, phase: .notSent).retention(of: write) == .release)
        #expect(Failure(.cancelled, phase: .maybeSent).retention(of: write) == .park(.uncertain))
        #expect(Failure(.cancelled, phase: .answered).retention(of: write) == .park(.uncertain))
        #expect(Failure(.cancelled, phase: .answered).retention(of: .write(resendable: true)) == .release)
    }
}

private let counting = FailureRetentionTests.counting

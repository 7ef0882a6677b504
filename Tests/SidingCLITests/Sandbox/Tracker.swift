// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingOrigin
import SidingSynchronization

/// An origin with issues, a page of comments for each, and reactions for each comment.
final class Tracker: Sendable {
    typealias Listener = @Sendable (_ number: Int, _ target: String) async -> OriginResponse?

    private struct State {
        var issues: [String]
        var listener: Listener?
        var origin: Origin?
        /// How many requests the origin had logged at the last look.
        var looked = 0
        var number = 0
        var atOnce = 0
        var mostAtOnce = 0
    }

    private let state: Mutex<State>
    private let started = Promise<Origin>()

    /// - Parameter issues: bodies.
    init(issues: [String]) { state = Mutex(State(issues: issues)) }

    static func start(issues: Int) async throws -> Tracker {
        try await start(issues: (1...issues).map { #"{"id":"k\#($0)","number":\#($0),"state":"open"}"# })
    }

    static func start(issues: [String]) async throws -> Tracker {
        let tracker = Tracker(issues: issues)
        let origin = try await Origin.start { request in await tracker.answer(request) }
        tracker.state.withLock { $0.origin = origin }
        tracker.started.fulfil(origin)
        return tracker
    }

    var origin: Origin { get async throws { try await started.value() } }

    /// Is told of each request about an issue, with its number since this call, before it is answered.
    func listen(_ listener: Listener?) {
        state.withLock { ($0.listener, $0.number) = (listener, 0) }
    }

    func set(_ issues: [String]) { state.withLock { $0.issues = issues } }

    /// What was asked about issues since the last look, sorted.
    func takeAsked() -> [String] {
        state.withLock { state in
            let requests = state.origin?.requests ?? []
            defer { state.looked = requests.count }
            return requests.dropFirst(state.looked).filter { $0.path != "/issues" }.map(\.target).sorted()
        }
    }

    /// Closes all connections, and drops the requests of a killed process that the origin has not read yet: they would
    /// count as those of the next process.
    func cutConnections() async throws { try await origin.restart() }

    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }

    private func answer(_ request: OriginRequest) async -> OriginResponse {
        if request.path == "/issues" {
            let bodies = state.withLock { $0.issues }
            return .json("[\(bodies.joined(separator: ","))]")
        }
        let (listener, number) = state.withLock { state in
            state.number += 1
            state.atOnce += 1
            state.mostAtOnce = max(state.mostAtOnce, state.atOnce)
            return (state.listener, state.number)
        }
        defer { state.withLock { $0.atOnce -= 1 } }
        if let answer = await listener?(number, request.target) { return answer }
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return .notFound }
        let of = String(parts[2])
        let id = parts[3] == "comments" ? "c-\(of)" : "r-\(of)"
        let etag = "\"\(id)\""
        if request.headerFields[.ifNoneMatch] == etag {
            return OriginResponse(status: .notModified, headerFields: [.eTag: etag])
        }
        return .json(#"[{"id":"\#(id)","of":"\#(of)"}]"#, headerFields: [.eTag: etag])
    }
}

extension Sandbox {
    /// A sandbox whose config has issues, and comments for each.
    static func with(_ tracker: Tracker, each: String = "", more: String = "") async throws -> Sandbox {
        let sandbox = try Sandbox()
        try await sandbox.config(of: tracker, each: each, more: more)
        return sandbox
    }

    func config(of tracker: Tracker, each: String = "", more: String = "") async throws {
        let url = try await tracker.origin.url.origin
        try config(
            """
            version: 1
            database: { path: test.db }
            sources:
              tracker: { base_url: \(url), http: { concurrency: 16 }, retry: { inline: 0 } }
            resources:
              comments:
                for_each: { resource: issues, bind: { number: $.number }\(each.isEmpty ? "" : ", " + each) }
                path: /issues/{number}/comments
                key: id
              issues: { path: /issues, key: id }
            \(more)
            """)
    }
}

// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import SidingSynchronization

/// An origin by its pages: answers each request target as scripted, and keeps what it was asked.
final class ScriptedOrigin: TransportFactory {
    private let answers = Mutex<[String: [ScriptedAnswer]]>([:])
    private let hold: @Sendable (String) async -> Void
    private let log = Mutex<[HTTPRequest]>([])

    /// - Parameter hold: is waited for before a request target is answered.
    init(_ pages: [String: ScriptedAnswer] = [:], hold: @escaping @Sendable (String) async -> Void = { _ in }) {
        self.hold = hold
        answers.withLock { $0 = pages.mapValues { [$0] } }
    }

    /// Answers `target` in this order, the last for ever.
    func set(_ target: String, _ script: ScriptedAnswer...) { set(target, script) }

    func set(_ target: String, _ script: [ScriptedAnswer]) {
        answers.withLock { $0[target] = script }
    }

    /// The requests since the last look.
    func takeRequests() -> [HTTPRequest] {
        log.withLock { log in
            defer { log = [] }
            return log
        }
    }

    /// The request targets since the last look.
    func takeTargets() -> [String] { takeRequests().compactMap(\.path) }

    /// How many requests came since the last look.
    var waiting: Int { log.withLock { $0.count } }

    func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        ScriptedTransport { [self] asked in
            log.withLock { $0.append(asked.request) }
            let target = asked.request.path ?? ""
            await hold(target)
            if Task.isCancelled { return .failure(Failure(.cancelled, phase: .maybeSent)) }
            return answers.withLock { answers in
                guard let script = answers[target], let first = script.first else { return .status(.notFound) }
                if script.count > 1 { answers[target]?.removeFirst() }
                return first
            }
        }
    }
}

extension ScriptedOrigin {
    /// Three pages of `/posts` with five records, linked by `Link`, each with an ETag; a condition that holds answers 304.
    static func posts(hold: @escaping @Sendable (String) async -> Void = { _ in }) -> ScriptedOrigin {
        ScriptedOrigin(
            [
                "/posts": page("[1,2]", next: "/posts?page=2"),
                "/posts?page=2": page("[3,4]", next: "/posts?page=3"),
                "/posts?page=3": page("[5]"),
            ], hold: hold)
    }

    /// A page of records with these ids.
    static func page(_ ids: String, next: String? = nil, etag: String? = nil) -> ScriptedAnswer {
        let records = ids.dropFirst().dropLast().split(separator: ",").map { #"{"id":\#($0)}"# }
        var fields: HTTPFields = [.contentType: "application/json"]
        if let next { fields[HTTPField.Name("Link")!] = "<\(next)>; rel=\"next\"" }
        if let etag { fields[.eTag] = etag }
        return .text("[\(records.joined(separator: ","))]", headerFields: fields)
    }
}

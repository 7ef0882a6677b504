// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingOrigin
import SidingSynchronization

/// An origin in the test's process with items, paged as told, and an ear on every request.
///
/// What a test wants to happen when the origin sees request n happens before that request is answered: nothing has to
/// sleep or to poll.
struct Service: Sendable {
    /// Told of each request, with its number since the last ``listen(_:)``, before it is answered; what it returns, if
    /// anything, is the answer.
    typealias Listener = @Sendable (_ number: Int, _ request: OriginRequest) async -> OriginResponse?

    let origin: Origin
    let items: Dataset
    private let ear: Ear

    private final class Ear: Sendable {
        let state = Mutex<(listener: Listener?, count: Int)>((nil, 0))

        func hear(_ request: OriginRequest) async -> OriginResponse? {
            let (listener, number) = state.withLock { state in
                state.count += 1
                return (state.listener, state.count)
            }
            return await listener?(number, request)
        }
    }

    /// Starts an origin that lists `count` items at `/items`.
    static func start(
        items count: Int = 40, pageSize: Int = 10, paging: OriginPaging = .link, validators: Validators = [.etag],
        routes: [any OriginRoute] = []
    ) async throws -> Service {
        let items = Dataset((0..<count).map { item($0 + 1) })
        let ear = Ear()
        let all =
            [RecordListing("/items", of: items, paging: paging, pageSize: pageSize, validators: validators)] + routes
        let origin = try await Origin.start { request in
            if let answer = await ear.hear(request) { return answer }
            for route in all {
                if let answer = await route.answer(request) { return answer }
            }
            return .notFound
        }
        return Service(origin: origin, items: items, ear: ear)
    }

    /// Item `number`: a body of its own, so that one page's bytes are never another's.
    static func item(_ number: Int, title: String = "item") -> Dataset.Record {
        Dataset.Record(
            key: String(number), json: #"{"id":\#(number),"title":"\#(title) \#(number)","price":\#(number).50}"#)
    }

    func listen(_ listener: @escaping Listener) {
        ear.state.withLock { $0 = (listener, 0) }
    }

    func deafen() { ear.state.withLock { $0 = (nil, 0) } }

    /// Scheme, host and port.
    var url: String { origin.url.origin }

    /// The targets that were asked for, in order.
    var targets: [String] { origin.requests.map(\.target) }

    /// A config with one resource `items`, in the database `test.db` beside it.
    ///
    /// - Parameters:
    ///   - source: further members of the source, in YAML's flow style.
    ///   - resource: further members of the resource.
    ///   - more: further resources, indented by two.
    func config(source: String = "", resource: String = "", more: String = "") -> String {
        """
        version: 1
        database: { path: test.db }
        sources:
          shop: { base_url: \(url)\(source.isEmpty ? "" : ", " + source) }
        resources:
          items: { path: /items, key: id\(resource.isEmpty ? "" : ", " + resource) }
        \(more)
        """
    }
}

extension Sandbox {
    /// A sandbox with the plain config of `service`.
    static func with(
        _ service: Service, source: String = "", resource: String = "", more: String = ""
    ) throws -> Sandbox {
        let sandbox = try Sandbox()
        try sandbox.config(service.config(source: source, resource: resource, more: more))
        return sandbox
    }

    /// The number of living records of `resource`.
    func count(_ resource: String = "items") async throws -> Int? {
        try await siding("records", "count", resource, "--json").object()["count"]?.int
    }

    /// How `records list --json` differs from what the origin has: keys and bodies, byte for byte.
    func differences(from items: Dataset, _ resource: String = "items") async throws -> [String] {
        let listing = try await siding("records", "list", resource, "--json")
        let wanted = Set(
            items.records.map { "{\"resource\":\"\(resource)\",\"key\":\"\($0.key)\",\"body\":\($0.json)," })
        let found = listing.lines.map { line in
            line.range(of: "\"first_seen_at\"").map { String(line[..<$0.lowerBound]) } ?? String(line)
        }
        let twice = found.count == Set(found).count ? [] : ["a record is listed twice"]
        let missing = wanted.subtracting(found).sorted().prefix(5).map { "missing: \($0)" }
        let surplus = Set(found).subtracting(wanted).sorted().prefix(5).map { "surplus: \($0)" }
        return twice + missing + surplus + (listing.status == 0 ? [] : ["exit \(listing.status)"])
    }
}

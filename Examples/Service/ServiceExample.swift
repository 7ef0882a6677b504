// SPDX-License-Identifier: Apache-2.0
// A server with a copy of a tracker's issues. It answers from the copy, takes new issues while the tracker cannot be reached, and
// tells its readers of changes. Siding's own pages are served beside it.
//
//     swift run ServiceExample https://tracker.example.com 127.0.0.1:8787 8080
import Hummingbird
import Logging
import ServiceLifecycle
import SidingKit
import SidingService
import UnixSignals

struct Issue: Codable, Sendable, ResponseEncodable { let id: Int, title: String }

struct Draft: Codable, Sendable { let title: String }

@main
struct Depot {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let logger = Logger(label: "depot")
        let tracker = try Source(baseURL: arguments[1])
        var issues = try Resource<Issue>("issues", from: tracker, at: "/issues", key: \.id, paging: .linkHeader)
        let workingHours = try CronSchedule("*/15 6-22 * * 1-5", zone: "Europe/Berlin")
        issues.untyped.schedule = JitteredSchedule(workingHours, jitter: .seconds(60), name: "depot issues")
        let siding = try await Siding(
            store: .sqlite(path: "depot.db"), resources: [issues], transports: HTTPTransports())

        // Siding's pages, JSON and metrics, at an address of their own.
        let pages = try HTTPService(
            siding: siding, address: HTTPService.Address(arguments[2]), logger: logger,
            isLive: { siding.hasPolled(within: .seconds(300)) })
        // The program's own routes, at a port or at the path of a socket.
        let port = Int(arguments[3]).map { BindAddress.hostname("127.0.0.1", port: $0) }
        let application = Application(
            router: routes(of: issues, in: siding),
            configuration: .init(address: port ?? .unixDomainSocket(path: arguments[3])), logger: logger)

        let services = ServiceGroup(
            services: [siding, pages, application], gracefulShutdownSignals: [.sigterm], logger: logger)
        try await services.run()
        await siding.close()
    }

    /// Routes that work without a network, too.
    static func routes(of issues: Resource<Issue>, in siding: Siding) -> Router<BasicRequestContext> {
        let router = Router()
        router.get("issues") { _, _ in try await siding.records(of: issues).sorted(by: \.id).array() }
        router.post("issues") { request, context in
            let draft = try await request.decode(as: Draft.self, context: context)
            // Stored when this returns, and sent by `run()`: nobody waits for the tracker.
            let entry = try await siding.create(draft, in: issues, sendsNow: false)
            return EditedResponse(status: .accepted, response: entry.id)
        }
        // Server-sent events: how many issues there are, and then each change, by a sync, a write or another process.
        router.get("changes") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/event-stream"],
                body: ResponseBody { writer in
                    for try await event in siding.changes(of: issues).cancelOnGracefulShutdown() {
                        try await writer.write(ByteBuffer(string: "data: \(text(of: event))\n\n"))
                    }
                    try await writer.finish(nil)
                })
        }
        return router
    }

    static func text(of event: RecordChangeStream<Issue>.Element) -> String {
        switch event {
        case .snapshot(let issues): "\(issues.count) issues"
        case .changes(let changes):
            "new \(changes.inserted.map(\.title)), changed \(changes.updated.map(\.title)), deleted \(changes.deleted)"
        }
    }
}

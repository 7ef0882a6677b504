// SPDX-License-Identifier: Apache-2.0
import Hummingbird
import Logging
import ServiceLifecycle
import Siding
import SidingHTTP
import SidingSchedule
import SidingService
import UnixSignals

@main
struct Depot {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let logger = Logger(label: "depot")
        let tracker = try Source(baseURL: arguments.first ?? "https://api.example.com/v2")
        var issues = AnyResource("issues", from: tracker, at: "/issues", key: "id", paging: .linkHeader)
        let workingHours = try CronSchedule("*/15 6-22 * * 1-5", zone: "Europe/Berlin")
        issues.schedule = JitteredSchedule(workingHours, jitter: .seconds(60), name: "depot issues")
        let siding = try await Siding(
            store: .sqlite(path: "depot.db"), resources: [issues], transports: HTTPTransports())

        // The program's own routes. Reading works offline.
        let router = Router()
        router.get("issues") { [issues] _, _ in
            let records = try await siding.rawRecords(of: issues, limit: 100)
            return "[" + records.map { String(decoding: $0.body, as: UTF8.self) }.joined(separator: ",") + "]"
        }
        let port = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 8080
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)), logger: logger)

        // Siding's pages, JSON and metrics beside them.
        let address = try HTTPService.Address(arguments.dropFirst().first ?? "127.0.0.1:8787")
        let pages = try HTTPService(
            siding: siding, address: address, logger: logger, isLive: { siding.hasPolled(within: .seconds(300)) })

        let services = ServiceGroup(
            services: [siding, pages, application], gracefulShutdownSignals: [.sigterm], logger: logger)
        try await services.run()
        await siding.close()
    }
}

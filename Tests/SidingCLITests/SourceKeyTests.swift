import Foundation
import HTTPTypes
import SidingOrigin
import Testing

/// Keys of a source whose effect a command shows.
@Suite(.serialized)
struct SourceKeyTests {
    @Test(arguments: [(0, Int32(69)), (1, 0)])
    func `So many redirects are followed as the config says`(most: Int, code: Int32) async throws {
        let service = try await Service.start(items: 5)
        let sandbox = try Sandbox.with(service, source: "http: { redirects: \(most) }")
        service.origin.inject(.redirect(307, to: "/items?page=1"), at: OriginPattern(path: "/items"))
        #expect(try await sandbox.siding("sync").status == code)
        #expect(service.targets.count == most + 1)
        await service.origin.stop()
    }

    @Test func `The waits of what failed grow from the base, by the factor, up to the cap`() async throws {
        let service = try await Service.start()
        let retry = "retry: { inline: 0, base: 1h, factor: 3, cap: 4h, jitter: none }"
        let sandbox = try Sandbox.with(service, source: retry)
        service.origin.inject(.status(500), times: nil)
        var hours: [Double] = []
        for _ in 1...3 {
            #expect(try await sandbox.siding("sync").status == 75)
            let entry = try await sandbox.siding("queue", "list", "--json").object()
            let next = try #require(entry["next_attempt_at"]?.string)
            let time = try Date(next, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            hours.append((time.timeIntervalSinceNow / 3_600).rounded())
        }
        #expect(hours == [1, 3, 4])
        await service.origin.stop()
    }

    @Test func `A rule may go by the name of what happened where no answer came`() async throws {
        let service = try await Service.start()
        let rule = "errors: [{ when: { error: timeout }, do: fail }]"
        let sandbox = try Sandbox.with(
            service, source: "retry: { inline: 0 }, http: { idle_timeout: 300ms }, \(rule)")
        service.origin.inject(.hang, times: nil)
        #expect(try await sandbox.siding("sync", "--json").object()["outcome"] == .string("failed"))
        #expect(try await sandbox.siding("queue", "list", "--json").output == "")
        await service.origin.stop()
    }
}

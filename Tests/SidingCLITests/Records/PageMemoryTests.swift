// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingOrigin
import SidingSynchronization
import Testing
import TestSupport

/// The memory of a sync stays within 60 MB and twice `max_body`, whatever a page holds.
@Suite(.serialized, .disabled(if: Proof.isUnderThreadSanitizer, "it measures"))
struct PageMemoryTests {
    /// The most memory that a process has had so far, in bytes; nil once it has ended.
    private static func peak(of process: Int32) -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let peak = status.firstMatch(of: /VmHWM:\s+([0-9]+) kB/).flatMap({ Int($0.output.1) })
        else { return nil }
        return peak << 10
    }

    @Test(arguments: [
        ("empty objects", "{}", 9_000_000, Int32(65), "the page has more than"),
        ("numbers", "1", 20_000_000, 65, "the page has more than"),
        ("one string", "x", 60_000_000, 3, "1 record broke"),
    ])
    func `a page is refused within the bar, or read`(
        _ what: String, element: String, count: Int, status: Int32, told: String
    ) async throws {
        let isString = element == "x"
        let elements = String(repeating: isString ? element : "\(element),", count: count)
        let page = Array((isString ? #"[{"id":1,"v":"\#(elements)"}]"# : "[\(elements)\(element)]").utf8)
        // A page that could go on where it broke off is held once as well.
        let fields: HTTPFields = [.contentType: "application/json", .eTag: "\"1\"", .acceptRanges: "bytes"]
        let origin = try await Origin.start { _ in OriginResponse(headerFields: fields, body: page) }
        let sandbox = try Sandbox()
        try sandbox.config(
            """
            version: 1
            database: { path: test.db }
            sources: { s: { base_url: \(origin.url.origin) } }
            resources: { items: { path: /items, key: id, paginate: none } }
            """)
        let highest = Mutex(0)
        let outcome = try await sandbox.siding(["sync"]) { child in
            while let peak = Self.peak(of: child.processID) {
                highest.withLock { $0 = max($0, peak) }
                await Task.yield()
            }
        }
        #expect(outcome.status == status)
        #expect(outcome.error.contains(told), "\(outcome.error)")
        let peak = highest.withLock { $0 }
        #expect(peak > 20 << 20 && peak < 190 << 20, "\(peak >> 20) MiB")
        guard status == 3 else { return await origin.stop() }
        let kept = try await sandbox.siding("quarantine", "retry")
        #expect(kept.everything.contains("only its first 8 MiB are kept"), "\(kept.everything)")
        await origin.stop()
    }
}

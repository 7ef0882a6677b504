// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingNodes
import SidingTesting
import SidingSynchronization
import Testing
import TestSupport

/// Large bodies pass through and are held nowhere. In the longer proofs they have a gigabyte.
@Suite(.serialized) struct TransferMemoryTests {
    /// Bytes of a body, and what the process may grow by meanwhile.
    private static let (size, growth) = Proof.choose(
        short: (64 << 20, 40 << 20), middle: (1 << 30, 64 << 20), long: (1 << 30, 64 << 20))

    @Test func `a download takes no more memory than a piece of it`() async throws {
        let directory = try TemporaryDirectory()
        try await transferring { origin, transport, peak throws in
            let chain = RequestCreatorNode().then(RequestSenderNode(transport)).then(ResponseProcessorNode())
                .then(ResponseHTTPErrorProcessorNode()).then(DownloadProgressNode { _, _ in peak.sample() })
                .then(ResponseDataPreprocessorNode())
            let node = FileDownloadNode(chain, to: FileDestination(directory.path(of: "large")))
            for size in [8 << 20, Self.size] {
                peak.start()
                let draft = RequestDraft(route: RequestRoute(.get, try origin.url.resolve("/\(size)")))
                let file = try await node.process(draft, ChainContext(requestID: "1"))
                #expect(file.bytes == Int64(size))
            }
        }
    }

    @Test(arguments: [true, false]) func `an upload takes no more memory than a piece of it`(_ isMeasured: Bool)
        async throws
    {
        try await transferring { origin, transport, peak throws in
            let chain = RequestCreatorNode().then(UploadProgressNode { _, _ in peak.sample() })
                .then(RequestSenderNode(transport)).then(ResponseProcessorNode()).then(ResponseDataPreprocessorNode())
                .then(ResponseDataLoaderNode())
            for size in [8 << 20, Self.size] {
                peak.start()
                let body = EncodedBody.stream(length: isMeasured ? size : nil) { Self.blocks(size) }
                let draft = RequestDraft(route: RequestRoute(.put, origin.url), body: body)
                let answer = try await chain.process(draft, ChainContext(requestID: "1"))
                #expect(answer.bytes == Array("\(size)".utf8))
            }
        }
    }

    private func transferring(
        _ body: (StreamingOrigin, HTTPTransport, Peak) async throws -> Void
    ) async throws {
        let origin = try await StreamingOrigin.start()
        let transport = HTTPTransport(HTTPTransportConfiguration(settings: TransportSettings().forDownloads()))
        let peak = Peak()
        do { try await body(origin, transport, peak) } catch { Issue.record(error) }
        #expect(peak.samples > 50)
        #expect(peak.growth < Self.growth, "it grew by \(peak.growth >> 20) MiB")
        await transport.shutdown()
        await origin.stop()
    }

    private static func blocks(_ size: Int) -> @Sendable () async throws -> [UInt8]? {
        let block = [UInt8](repeating: 7, count: 1 << 18)
        let unsent = Mutex(size)
        return {
            let count = unsent.withLock { unsent in
                defer { unsent -= min(unsent, block.count) }
                return min(unsent, block.count)
            }
            return count == 0 ? nil : Array(block.prefix(count))
        }
    }

    /// The most memory that the process had at once since the start.
    private final class Peak: Sendable {
        private let state = Mutex((start: 0, most: 0, samples: 0))

        var growth: Int { state.withLock { $0.most - $0.start } }
        var samples: Int { state.withLock { $0.samples } }

        func start() {
            let resident = Self.resident
            state.withLock { $0 = (resident, resident, 0) }
        }

        func sample() {
            let resident = Self.resident
            state.withLock { $0 = ($0.start, max($0.most, resident), $0.samples + 1) }
        }

        private static var resident: Int {
            let text = FileManager.default.contents(atPath: "/proc/self/statm").map {
                String(decoding: $0, as: UTF8.self)
            }
            return text?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4096 } ?? 0
        }
    }
}

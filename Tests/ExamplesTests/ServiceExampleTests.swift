// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingKit
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing

/// The server of Docs/Embedding.md, as a process of its own, with its routes and pages at sockets of the file system.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ServiceExampleTests {
    private struct Issue: Codable, Sendable, Equatable { var id: Int, title: String }

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A builder for what is served at a socket of the directory.
    private func requests(_ socket: String) throws -> URLChainBuilder {
        let path = try #require(
            directory.path(of: socket).addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        return try URLChainBuilder(baseURL: "http+unix://\(path)")
    }

    /// Runs the server, and asks it to stop after `body`.
    private func serve(
        _ origin: Origin, _ body: @escaping @Sendable (URLChainBuilder) async throws -> Void
    ) async throws -> ExampleProgram.Outcome {
        let (own, pages) = (try requests("own.sock"), try requests("pages.sock"))
        let health: Chain<Void, Void> = pages.route(.get, "/healthz").build()
        return try await ExampleProgram(name: "ServiceExample").run(
            origin.url.origin, "unix:\(directory.path(of: "pages.sock"))", directory.path(of: "own.sock"), in: directory
        ) { child in
            while (try? await health()) == nil { await Task.yield() }
            try await body(own)
            child.send(SIGTERM)
        }
    }

    @Test func `answers from the copy, and takes a new issue while the tracker is gone`() async throws {
        let origin = try await Origin.tracker()
        let outcome = try await serve(origin) { own in
            let list: Chain<Void, [Issue]> = own.route(.get, "/issues").build()
            while (try? await list().count) != 9 { await Task.yield() }
            await origin.stop()
            let create: Chain<Issue, LoadedResponse> = own.route(.post, "/issues").build(.json, .bytes)
            let accepted = try await create(Issue(id: 0, title: "new")).response.status
            let shown = try await list().map(\.id)
            #expect(accepted == .accepted && shown == Array(1...9))
        }
        #expect(outcome.status == 0, "\(outcome.error)")
    }

    @Test func `streams changes until it stops, and ends with 0 at a SIGTERM`() async throws {
        let origin = try await Origin.tracker()
        let reading = Mutex<Task<[String], any Error>?>(nil)
        let outcome = try await serve(origin) { own in
            let list: Chain<Void, [Issue]> = own.route(.get, "/issues").build()
            while (try? await list().count) != 9 { await Task.yield() }
            let changes = try RequestRoute(.get, "/changes", under: #require(own.baseURL))
            let reply = try await Chain(RequestCreatorNode().then(RequestSenderNode(HTTPTransport())))(
                RequestDraft(route: changes))
            let first = try #require(try await reply.body.next())
            let create: Chain<Issue, LoadedResponse> = own.route(.post, "/issues").build(.json, .bytes)
            let created = try await create(Issue(id: 0, title: "new")).response.status
            #expect(created == .accepted)
            let second = try #require(try await reply.body.next())
            #expect(String(decoding: first, as: UTF8.self) == "data: 9 issues\n\n")
            #expect(String(decoding: second, as: UTF8.self).contains(#"new ["new"]"#))
            // The stream ends with the server.
            reading.withLock {
                $0 = Task {
                    var rest: [String] = []
                    while let chunk = try await reply.body.next() {
                        rest.append(String(decoding: chunk, as: UTF8.self))
                    }
                    return rest
                }
            }
        }
        #expect(outcome.status == 0, "\(outcome.error)")
        _ = await reading.withLock { $0 }?.result
        await origin.stop()
    }
}

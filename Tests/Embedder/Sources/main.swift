// SPDX-License-Identifier: Apache-2.0
// Serves three posts, copies them from itself into the database that it was given, and prints how many are stored.
import Hummingbird
import SidingKit

struct Post: Encodable {
    let id: Int
    let title: String
}

let router = Router()
router.get("posts") { (_: Request, _) in (1...3).map { Post(id: $0, title: "Post \($0)") } }
// These names are Hummingbird's, also beside those of Siding.
router.get("count") { _, _ in Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: "3"))) }
let environment = Environment(values: [:])
// A type of the program's own hides Siding's, which the module's name brings back.
struct Record {}
let none: [SidingKit.Record] = []
let (ports, port) = AsyncStream.makeStream(of: Int.self)
let server = Application(
    router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
    onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) })

try await withThrowingTaskGroup { group in
    group.addTask { try await server.runService() }
    for await port in ports {
        let blog = try Source(baseURL: "http://127.0.0.1:\(port)")
        let posts = AnyResource("posts", from: blog, at: "/posts", key: "id")
        let siding = try await Siding(
            store: .sqlite(path: CommandLine.arguments[1]), resources: [posts], transports: HTTPTransports())
        try await siding.sync(posts)
        print("\(try await siding.rawRecords(of: posts, limit: 10).count) posts are stored")
        await siding.close()
        break
    }
    group.cancelAll()
}

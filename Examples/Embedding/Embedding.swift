// SPDX-License-Identifier: Apache-2.0
import Logging
import ServiceLifecycle
import SidingKit
import UnixSignals

struct Post: Codable, Sendable {
    let id: Int
    let title: String
}

@main
struct Embedding {
    static func main() async throws {
        let address = CommandLine.arguments.dropFirst().first ?? "https://jsonplaceholder.typicode.com"
        let blog = try Source(baseURL: address)
        let posts = try Resource<Post>("posts", from: blog, at: "/posts", key: \.id)
        let siding = try await Siding(store: .sqlite(path: "blog.db"), resources: [posts], transports: HTTPTransports())

        switch try await siding.sync(posts) {
        case .saved(let counters): print("saved \(counters.inserted) new, \(counters.updated) changed")
        case .notModified, .skipped: print("nothing new")
        case .queued(let error): print("kept for later: \(error.cause)")
        }
        let newest = siding.records(of: posts).sorted(by: \.id, .descending).limit(3)
        for try await post in newest { print(post.title) }  // works offline

        let services = ServiceGroup(
            services: [siding], gracefulShutdownSignals: [.sigterm], logger: Logger(label: "blog"))
        try await services.run()  // keeps the resources fresh until SIGTERM
    }
}

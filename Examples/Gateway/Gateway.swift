// SPDX-License-Identifier: Apache-2.0
// A gateway: the one type of a program that knows how a tracker's HTTP looks: answers in an envelope, `{"data": …}`, and
// refusals as `{"code": …, "message": …}`. What is fetched is saved, and is there without a network, too.
//     swift run GatewayExample http://127.0.0.1:8080 tracker.db
import SidingKit

struct Issue: Codable, Sendable { let id: Int, title: String }
struct Draft: Codable, Sendable { let title: String }
struct Refusal: Error, Decodable, Sendable { let code: String, message: String }

struct IssueGateway: Sendable {
    private let requests: URLChainBuilder
    private let issues: Resource<Issue>
    private let siding: Siding

    init(_ base: String, path: String) async throws {
        requests = try URLChainBuilder(baseURL: base).envelope(at: "$.data")
            .errors(ResponseErrorEnvelopeNode(reading: Refusal.self) { refusal, _ in refusal })
        issues = try Resource("issues", from: Source(baseURL: base), at: "/issues", key: \.id)
        siding = try await Siding(store: .sqlite(path: path), resources: [issues], transports: HTTPTransports())
    }

    /// All stored issues, after those of a milestone were fetched and saved; without an answer, as they were.
    func issues(refreshing milestone: String) async throws(Failure) -> [Issue] {
        let route = requests.route(.get, "/milestones/{name}/issues")
        let fetch: Chain<String, [Issue]> = route.build(.path { ["name": $0] }, .json)
        return try await fetch.then(SaveRecordsStep(to: issues, in: siding)).map { _ in }
            .recover { failure, _ in guard failure.phase != .answered else { throw failure } }
            .then(FetchRecordsStep { [siding, issues] in siding.records(of: issues).sorted(by: \.id) })
            .outcome(of: milestone).get()
    }

    /// Creates an issue; without a network it waits in the queue. With one, those that wait are sent, too.
    func create(_ title: String) async throws -> QueueEntry {
        let entry = try await siding.create(Draft(title: title), in: issues)
        try await siding.drain()
        return entry
    }

    /// Downloads the map of the site; a part that a lost connection left is continued.
    func map(to path: String, progress: @escaping @Sendable (TransferProgress) -> Void) async throws -> DownloadedFile {
        try await requests.route(.get, "/map.pbf").reportProgress(download: progress)
            .buildDownload(to: FileDestination(path))()
    }
}

@main
struct Gateway {
    static func main() async throws {
        let gateway = try await IssueGateway(CommandLine.arguments[1], path: CommandLine.arguments[2])
        do {
            for issue in try await gateway.issues(refreshing: "M 1") { print("\(issue.id): \(issue.title)") }
            print("created: \(try await gateway.create("Gate 4 does not close").state)")
            let map = try await gateway.map(to: "map.pbf") { print("\(Int(($0.fraction ?? 0) * 100)) %") }
            print("map: \(map.bytes) bytes")
        } catch let failure as Failure {
            print((failure.underlying as? Refusal).map { "refused: \($0.message)" } ?? "failed: \(failure)")
        }
    }
}

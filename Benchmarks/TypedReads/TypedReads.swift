// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingKit

/// What models cost: typed reads of 100,000 records beside `JSONDecoder` alone, and saves of new, equal and changed models. Exits
/// with 1 where typed reads are slower than the target.
@main struct TypedReads {
    private struct Issue: Codable, Sendable {
        struct Author: Codable, Sendable { var login: String, id: Int }

        var id: Int, title: String, state: String, comments: Int, labels: [String], author: Author
    }

    /// The least share of the speed of `JSONDecoder` alone.
    private static let target = 0.9
    private static let count = 100_000
    private static let rounds = 5

    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "siding-typed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let nowhere = try Source(baseURL: "http://127.0.0.1:9")
        let issues = try Resource<Issue>("issues", from: nowhere, at: "/issues", key: \.id)
        let siding = try await Siding(
            store: .sqlite(path: folder.appending(path: "typed.db").path), resources: [issues],
            transports: HTTPTransports())

        try await saves(siding, issues)
        let ratio = try await reads(siding, issues)
        await siding.close()
        guard ratio >= target else {
            print("TypedReads: \(figure(ratio)) is below \(target)")
            exit(1)
        }
    }

    private static func issue(_ number: Int, comments: Int = 3) -> Issue {
        Issue(
            id: number, title: "Gate \(number) does not close", state: number % 3 == 0 ? "closed" : "open",
            comments: comments, labels: ["bug", "door"], author: Issue.Author(login: "u\(number % 100)", id: number))
    }

    /// Times `save` for models that are new, equal to the stored ones, and changed.
    private static func saves(_ siding: Siding, _ issues: Resource<Issue>) async throws {
        let models = (1...count).map { issue($0) }
        let changed = models.map { issue($0.id, comments: 4) }
        for (name, models) in [("new", models), ("equal", models), ("changed", changed)] {
            let time = try await seconds { _ = try await siding.save(models, to: issues) }
            print("save of \(count) \(name) models: \(figure(Double(count) / time / 1000)) k/s")
        }
    }

    /// - Returns: the speed of typed reads as a share of that of the decoder alone, each by its best round.
    private static func reads(_ siding: Siding, _ issues: Resource<Issue>) async throws -> Double {
        var bodies: [Data] = []
        var after: String?
        while true {
            let portion = try await siding.rawRecords(of: issues, after: after, limit: 1000)
            guard let last = portion.last else { break }
            bodies += portion.map { Data($0.body) }
            after = last.key
        }
        precondition(bodies.count == count)
        var (alone, typed) = (Double.infinity, Double.infinity)
        for _ in 1...rounds {
            alone = min(
                alone,
                try await seconds {
                    let decoder = JSONDecoder()
                    var models: [Issue] = []
                    for body in bodies { models.append(try decoder.decode(Issue.self, from: body)) }
                    precondition(models.count == count)
                })
            typed = min(
                typed,
                try await seconds {
                    let models = try await siding.records(of: issues).array()
                    precondition(models.count == count)
                })
        }
        print("JSONDecoder alone: \(figure(Double(count) / alone / 1000)) k/s")
        let ratio = figure(alone / typed)
        print("typed reads: \(figure(Double(count) / typed / 1000)) k/s, \(ratio) of it (target \(target))")
        return alone / typed
    }

    private static func seconds(_ body: () async throws -> Void) async rethrows -> Double {
        let time = try await ContinuousClock().measure(body)
        return Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
    }

    private static func figure(_ value: Double) -> String { String(format: "%.2f", value) }
}

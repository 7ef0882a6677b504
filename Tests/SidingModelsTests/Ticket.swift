// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A record as a tracker writes it.
struct Ticket: Codable, Sendable, Equatable {
    enum State: String, Codable, CaseIterable, Sendable {
        case open, closed
    }

    struct User: Codable, Sendable, Equatable {
        var login: String
        var home: URL?
    }

    var id: Int
    var title: String
    var state: State?
    var comments: Int
    var score: Double?
    var isLocked: Bool?
    var createdAt: Date?
    var user: User?
    var labels: [String]?
    var body: String?
    var version: Int?

    enum CodingKeys: String, CodingKey {
        case id, title, state, comments, score, user, labels, body, version
        case isLocked = "locked"
        case createdAt = "created_at"
    }

    init(
        id: Int, title: String = "", state: State? = nil, comments: Int = 0, score: Double? = nil,
        isLocked: Bool? = nil, createdAt: Date? = nil, user: User? = nil, body: String? = nil, version: Int? = nil
    ) {
        (self.id, self.title, self.state, self.comments, self.score) = (id, title, state, comments, score)
        (self.isLocked, self.createdAt, self.user, self.body) = (isLocked, createdAt, user, body)
        self.version = version
    }

    /// What it is computed from is not where it lies.
    var shout: String { title.uppercased() }
    /// The same as a member, by another name.
    var number: Int { id }
}

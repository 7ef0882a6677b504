// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingOrigin
import SidingTesting

/// The Swift blocks of documents, and code to hold them to.
enum DocumentCode {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The programs of Docs/Embedding.md, and that of the README.
    static let programs = [
        "Examples/Gateway/Gateway.swift", "Examples/TokenRefresh/TokenRefresh.swift",
        "Examples/Service/ServiceExample.swift", "Examples/Embedding/Embedding.swift",
    ]

    /// A file of the repository.
    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// `code` without white space, as a page aligns comments and breaks lines in its own way.
    static func plain(_ code: some StringProtocol) -> String { String(code.filter { !$0.isWhitespace }) }

    /// These files, each without white space.
    static func plain(files: [String]) throws -> [String] { try files.map { plain(try text($0)) } }

    /// The Swift blocks of a page.
    static func snippets(of page: String) throws -> [String] {
        try text(page).matches(of: /(?m)^```swift\n((?:(?!```).*\n)*)```$/).map { String($0.1) }
    }
}

extension Origin {
    /// The tracker of the documents: nine issues, four to a page, that take writes; a new one gets an id from 100.
    static func tracker() async throws -> Origin {
        let issues = Dataset(
            (1...9).map {
                Dataset.Record(key: String($0), json: #"{"id":\#($0),"title":"t\#($0)","state":"open"}"#)
            })
        return try await Origin.start(routes: [
            RecordListing("/issues", of: issues, paging: .link, pageSize: 4),
            RecordWrites("/issues", to: issues, firstID: 100),
        ])
    }
}

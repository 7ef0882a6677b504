// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingManifest
import Testing

/// What holds for all examples and all tapes.
@Suite struct TapesTests {
    private static let configs = ExampleBench.tapes.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Examples/Configs")

    private static func names(in folder: URL, _ type: String) throws -> Set<String> {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return Set(files.filter { $0.pathExtension == type }.map { $0.deletingPathExtension().lastPathComponent })
    }

    @Test func `each config in the folder is an example, and each example is the file byte for byte`() throws {
        #expect(try Self.names(in: Self.configs, "yaml") == Set(ExampleConfig.all.map(\.name)))
        for example in ExampleConfig.all {
            let file = Self.configs.appending(path: "\(example.name).yaml")
            #expect(try Data(contentsOf: file) == Data(example.text.utf8), "\(example.name)")
        }
    }

    @Test func `each example of a public API has a tape`() throws {
        let examples = Set(ExampleConfig.all.map(\.name)).subtracting(["blog", "local"])
        #expect(try Self.names(in: ExampleBench.tapes, "json") == examples)
        #expect(examples.count == 10)
    }

    @Test func `each tape says that it was made by hand, after which documentation, and when`() throws {
        struct Head: Decodable { let comment: String }
        for name in try Self.names(in: ExampleBench.tapes, "json") {
            let head = try JSONDecoder().decode(
                Head.self, from: Data(contentsOf: URL(filePath: ExampleBench.tape(name))))
            #expect(head.comment.hasPrefix("Made by hand on 2026-11-22 after https://"), "\(name)")
            #expect(head.comment.contains("not recorded"), "\(name)")
        }
    }

    @Test(arguments: ExampleConfig.all) func `an example names the documentation that it follows`(
        _ example: ExampleConfig
    ) throws {
        guard !["blog", "local"].contains(example.name) else { return }
        #expect(example.text.contains("# After https://"))
    }
}

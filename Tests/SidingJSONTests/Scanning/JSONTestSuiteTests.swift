// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingJSON
import Testing

/// Nicolas Seriot's parsing tests, at the level of the grammar: names may repeat, lone surrogates may be escaped.
struct JSONTestSuiteTests {
    struct Sample: CustomTestStringConvertible, Sendable {
        let name: String
        let bytes: [UInt8]
        var testDescription: String { name }
    }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Resources/JSONTestSuite/test_parsing")

    static func samples(_ prefix: String) throws -> [Sample] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(prefix) }.sorted()
            .map { Sample(name: $0, bytes: Array(try Data(contentsOf: folder.appending(path: $0)))) }
    }

    static func error(of bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> JSONSyntaxError? {
        do throws(JSONSyntaxError) {
            try bytes.span.bytes.withUnsafeBytes { (buffer) throws(JSONSyntaxError) in
                try JSONSyntax.validate(buffer, limits: limits)
            }
            return nil
        } catch {
            return error
        }
    }

    @Test func `the suite is there in full`() throws {
        #expect(try Self.samples("y_").count == 95)
        #expect(try Self.samples("n_").count == 188)
        #expect(try Self.samples("i_").count == 35)
    }

    @Test(arguments: try samples("y_"))
    func `samples to be accepted are accepted`(sample: Sample) {
        #expect(Self.error(of: sample.bytes) == nil)
    }

    @Test(arguments: try samples("n_"))
    func `samples to be rejected are rejected inside of the document`(sample: Sample) throws {
        let error = try #require(Self.error(of: sample.bytes))
        #expect((0...sample.bytes.count).contains(error.offset))
    }

    @Test(arguments: try samples("i_"))
    func `optional samples are rejected only for their encoding or depth`(sample: Sample) {
        guard let error = Self.error(of: sample.bytes) else { return }
        let allowed: [JSONSyntaxError.Problem] = [.invalidUTF8, .byteOrderMark, .utf16, .tooDeep]
        #expect(allowed.contains(error.problem), "\(error)")
    }

    @Test(arguments: try samples(""))
    func `the page reader refuses as a page what the grammar refuses`(sample: Sample) {
        let reader = PageReader(records: .root, key: [JSONPath(member: "id")])
        let limits = JSONLimits(maxDepth: .max)
        let isValid = Self.error(of: sample.bytes, limits: limits) == nil
        do throws(PageFault) {
            _ = try Page(sample.bytes).read(reader)
            #expect(isValid)
        } catch {
            if case .noRecords = error { #expect(isValid) } else { #expect(!isValid, "\(error)") }
        }
    }
}

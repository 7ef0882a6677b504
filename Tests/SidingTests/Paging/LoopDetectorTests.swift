// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingPaging
import Testing

@testable import Siding

@Suite struct LoopDetectorTests {
    private func request(_ number: Int) throws -> PageRequest {
        PageRequest(url: try HTTPURL("https://example.com/posts?cursor=\(number)"), number: number, offset: 0)
    }

    private func page(_ number: Int, leadingTo next: Int) throws -> Page {
        Page(
            request: try request(number), content: .notModified(recordCount: 1), status: 200,
            step: .page(try request(next)), paging: .automatic, requests: 1, bytes: 0)
    }

    @Test(arguments: [(20, 20), (20, 1), (9_999, 3)])
    func `a page that leads back to one of the first pages is found at once`(length: Int, target: Int) throws {
        var detector = LoopDetector()
        for number in 1..<length { #expect(try detector.loop(at: page(number, leadingTo: number + 1)) == nil) }
        #expect(try detector.loop(at: page(length, leadingTo: target)) != nil)
    }

    @Test func `a circle far behind the first pages is found, and memory does not grow with the listing`() throws {
        var detector = LoopDetector()
        var number = 1
        var asked = 0
        while asked < 200_000 {
            let next = number == 30_000 ? 25_000 : number + 1
            asked += 1
            if try detector.loop(at: page(number, leadingTo: next)) != nil { break }
            #expect(detector.remembered <= LoopDetector.mostPages + 1)
            number = next
        }
        #expect((30_000..<100_000).contains(asked))
    }
}

extension LoopDetector {
    fileprivate mutating func loop(at page: Page) -> String? { closed(by: page, leadingTo: page.step) }
}

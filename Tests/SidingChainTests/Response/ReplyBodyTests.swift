// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingTesting
import Testing

@Suite struct ReplyBodyTests {
    @Test func `a body in memory is read once`() async throws {
        let body = ReplyBody.bytes([1, 2, 3])
        #expect(body.length == 3)
        #expect(try await body.collect(upTo: 3) == [1, 2, 3])
        #expect(try await body.collect(upTo: 3) == [])
    }

    @Test func `chunks are collected in order, up to the limit and no further`() async throws {
        #expect(try await Self.body([[1], [2, 3], []], nil).collect(upTo: 3) == [1, 2, 3])
        let failure = await #expect(throws: Failure.self) { try await Self.body([[1], [2, 3]], nil).collect(upTo: 2) }
        #expect(failure?.reason == .tooLarge(limit: 2))
        #expect(failure?.phase == .answered)
    }

    @Test func `a body in one piece is taken without a copy`() async throws {
        let piece = [UInt8](repeating: 7, count: 1_000)
        let whole = try await ReplyBody.bytes(piece).collect(upTo: 1_000)
        #expect(whole == piece)
        #expect(piece.withUnsafeBufferPointer(\.baseAddress) == whole.withUnsafeBufferPointer(\.baseAddress))
    }

    @Test func `a declared length beyond the limit is refused unread`() async throws {
        let body = ReplyBody(length: 10) { () async throws(Failure) -> [UInt8]? in
            Issue.record("the body was read")
            return nil
        }
        let failure = await #expect(throws: Failure.self) { try await body.collect(upTo: 9) }
        #expect(failure?.reason == .tooLarge(limit: 9))
    }

    @Test func `iterating gives the chunks, then the failure that breaks them off`() async {
        let body = Self.body([[1], [2]], Failure(.connectionLost, phase: .maybeSent))
        var chunks: [[UInt8]] = []
        let failure = await #expect(throws: Failure.self) { for try await chunk in body { chunks.append(chunk) } }
        #expect(chunks == [[1], [2]])
        #expect(failure?.reason == .connectionLost)
    }

    static func body(_ chunks: [[UInt8]], _ ending: Failure?) -> ReplyBody {
        let rest = Chunks(chunks)
        return ReplyBody(length: nil) { () async throws(Failure) -> [UInt8]? in
            if let chunk = await rest.next() { return chunk }
            if let ending { throw ending }
            return nil
        }
    }

    actor Chunks {
        private var rest: [[UInt8]]
        init(_ chunks: [[UInt8]]) { rest = chunks.reversed() }
        func next() -> [UInt8]? { rest.popLast() }
    }
}

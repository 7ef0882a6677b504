// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import Testing

/// Answers by which a client would end the process, or wait without end, and how they are told.
@Suite struct AnswerGuardTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let answer: String
        let detail: String?
        var testDescription: String { String(answer.prefix(60)) }

        init(_ answer: String, _ detail: String?) { (self.answer, self.detail) = (answer, detail) }
    }

    static let cases: [Case] =
        [0, 1, 42, 99].map {
            let status = String(1000 + $0).dropFirst()
            return Case(
                "HTTP/1.1 \(status) No\r\nContent-Length: 2\r\n\r\n{}",
                "its status is \($0), and the smallest that HTTP has is 100")
        } + [
            Case("HTTP/1.1 042 No\r\n\r\n", "its status is 42, and the smallest that HTTP has is 100"),
            Case(
                "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n",
                "it has the status 101, a change of protocol that was not asked for"),
            Case(
                String(repeating: "HTTP/1.1 103 Early\r\n\r\n", count: 21)
                    + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
                "more than 20 interim answers (status 1xx) came before it"),
            Case(
                "HTTP/1.1 200 OK\r\n\(String(repeating: "A: b\r\n", count: 201))\r\n",
                "it has 201 header fields, the limit is 200"),
            Case(
                "HTTP/1.1 200 OK\r\nA: \(String(repeating: "b", count: 70_000))\r\n\r\n",
                "its header fields have 70001 bytes, the limit is 65536"),
            Case(
                "HTTP/1.1 200 OK\r\nA: \(String(repeating: "b", count: 90_000))\r\n\r\n",
                "its head is larger than 80 KiB"),
            Case("HTTP/1.1 200 OK\r\nContent-Length: 2x\r\n\r\n{}", "its Content-Length is not a number"),
            Case("HTTP/1.1 200 OK\r\nContent-Length: 0x2\r\n\r\n{}", "its Content-Length is not a number"),
            Case(
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
                "it declares its length twice, and differently"),
            Case("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "the size of a chunk is not a number"),
            Case("HTTP/1.1 2x0 OK\r\n\r\n", "its status line is damaged"),
            Case("HTTP/1.1 1000 OK\r\n\r\n", "its status line is damaged"),
            Case("HTTP/2.0 200 OK\r\n\r\n", "its HTTP version is not 1.0 or 1.1"),
            Case("SSH-2.0-OpenSSH_9.2\r\n", "it does not begin with HTTP/1"),
            Case("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "a header field has a character that is not allowed"),
        ]

    @Test(arguments: cases) func `an answer that is not HTTP is refused and reported`(_ example: Case) async throws {
        let origin = try await AbruptOrigin.start(example.answer)
        let transport = HTTPTransport()
        let failure = try #require(await transport.failure(origin.url))
        #expect(failure.reason == .protocolViolation)
        #expect(failure.detail == example.detail)
        await transport.shutdown()
        await origin.stop()
    }

    @Test func `every status below 100 is refused, and its write may have been sent`() async throws {
        for status in 0..<100 {
            let origin = try await AbruptOrigin.start(
                "HTTP/1.1 \(String(1000 + status).dropFirst()) X\r\nContent-Length: 2\r\n\r\n{}")
            let transport = HTTPTransport()
            let failure = try #require(await transport.failure(origin.url, .post, body: .bytes([1])))
            #expect(failure.reason == .protocolViolation)
            #expect(failure.phase == .maybeSent)
            await transport.shutdown()
            await origin.stop()
        }
    }

    @Test(arguments: [600, 777, 999]) func `a status above 599 is an answer like 5xx`(_ status: Int) async throws {
        let origin = try await AbruptOrigin.start("HTTP/1.1 \(status) Odd\r\nContent-Length: 2\r\n\r\n{}")
        let transport = HTTPTransport()
        #expect(try await transport.ask(origin.url).reply.response.status.code == status)
        await transport.shutdown()
        await origin.stop()
    }

    @Test func `interim answers up to the limit are skipped`() async throws {
        let interim = String(repeating: "HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n", count: 20)
        let origin = try await AbruptOrigin.start("\(interim)HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        let transport = HTTPTransport()
        #expect(try await transport.ask(origin.url).bytes == Array("{}".utf8))
        await transport.shutdown()
        await origin.stop()
    }
}

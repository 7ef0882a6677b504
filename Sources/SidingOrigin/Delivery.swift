// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import NIOCore
internal import SidingSynchronization

/// Writes one response to the connection, spoiled as its fault requires.
///
/// Responses are written as bytes, without an encoder, because many faults are not valid HTTP.
struct Delivery: Sendable {
    let channel: any Channel
    let request: OriginRequest
    let keepsAlive: Bool
    let compresses: Bool

    /// Whether the fault needs the origin's own response.
    func needsAnswer(_ fault: OriginFault?) -> Bool {
        switch fault {
        case nil, .stallHead, .resetAfterHead, .cutBody, .stallBody, .slowBody, .unaskedAnswer, .wrongJSON, .cutGzip:
            true
        default: false
        }
    }

    /// Writes the response. The future completes when the connection may take the next request, if ever.
    func deliver(_ answer: OriginResponse?, _ fault: OriginFault?) -> EventLoopFuture<Void> {
        let answer = answer ?? OriginResponse()
        let fault = fault ?? answer.fault
        switch fault {
        case nil:
            return send(compressed(answer))
        case .unaskedAnswer:
            return write(head(answer) + answer.body + head(answer) + answer.body)
        case .refuse, .hang:
            return channel.closeFuture
        case .resetBeforeHead:
            return channel.resetAndWait()
        case .closeBeforeHead:
            return channel.close()
        case .bytes(let text):
            return write(Array(text.utf8)).flatMap { channel.close() }
        case .stallHead:
            let head = head(answer)
            return write(Array(head.prefix(head.count / 2))).flatMap { channel.closeFuture }
        case .resetAfterHead:
            return write(head(answer)).flatMap { resetSoon() }
        case .cutBody(let chunked):
            return write(half(answer, chunked: chunked)).flatMap { channel.close() }
        case .stallBody:
            return write(half(answer, chunked: false)).flatMap { channel.closeFuture }
        case .slowBody(let bytesPerSecond):
            return write(head(answer)).flatMap { drip(answer.body[...], bytesPerSecond) }
        default:
            return send(replacement(for: fault, answer))
        }
    }
}

// MARK: - Replacement responses

extension Delivery {
    private func replacement(for fault: OriginFault?, _ answer: OriginResponse) -> OriginResponse {
        var response = answer
        switch fault {
        case .status(let code, let retryAfter):
            response = .json(#"{"message":"as scripted"}"#, status: .init(code: code))
            response.headerFields[.retryAfter] = retryAfter
        case .redirect(let code, let location):
            response = OriginResponse(status: .init(code: code), headerFields: [.location: location])
        case .hugeHead(let size):
            response.headerFields[.server] = String(repeating: "x", count: size)
        case .wrongJSON:
            response.body.removeLast(response.body.count / 2)
        case .notJSON:
            response = .init(
                headerFields: [.contentType: "text/html"],
                body: Array("<html><body>Welcome. Please sign in.</body></html>".utf8))
        case .content(let type, let body):
            response = .init(headerFields: [.contentType: type], body: body)
        case .gzipBomb(let size):
            response = Self.coded(.json(""), Gzip.compressed(zeros: size))
        case .brokenGzip:
            response = Self.coded(.json(""), Array("This is not gzip, whatever the head says.".utf8))
        case .cutGzip:
            let whole = Gzip.compressed(answer.body)
            response = Self.coded(answer, Array(whole.dropLast(whole.count / 2)))
        default:
            break
        }
        return response
    }

    private func compressed(_ answer: OriginResponse) -> OriginResponse {
        let accepted = request.headerFields[.acceptEncoding]?.lowercased() ?? ""
        guard compresses, accepted.contains("gzip"), answer.body.count > 256,
            answer.headerFields[.contentEncoding] == nil
        else { return answer }
        return Self.coded(answer, Gzip.compressed(answer.body))
    }

    private static func coded(_ answer: OriginResponse, _ bytes: [UInt8]) -> OriginResponse {
        var coded = answer
        coded.body = bytes
        coded.headerFields[.contentEncoding] = "gzip"
        coded.headerFields[.vary] = "Accept-Encoding"
        // Different bytes need a different strong validator (RFC 9110 §8.8.3.3).
        if let tag = coded.headerFields[.eTag], tag.hasSuffix("\"") {
            coded.headerFields[.eTag] = tag.dropLast() + "-gzip\""
        }
        return coded
    }
}

// MARK: - Bytes

extension Delivery {
    private func send(_ answer: OriginResponse) -> EventLoopFuture<Void> {
        write(head(answer) + (carriesBody(answer) ? answer.body : []))
            .flatMap { keepsAlive ? channel.eventLoop.makeSucceededVoidFuture() : channel.close() }
    }

    private func write(_ bytes: [UInt8]) -> EventLoopFuture<Void> {
        channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    /// HEAD, 204 and 304 have no body, even if the head describes one (RFC 9112 §6.3).
    private func carriesBody(_ answer: OriginResponse) -> Bool {
        request.method != "HEAD" && answer.status.code != 204 && answer.status.code != 304
    }

    private func head(_ answer: OriginResponse, framing: String? = nil) -> [UInt8] {
        let phrase = answer.status.reasonPhrase
        var head = "HTTP/1.1 \(answer.status.code)\(phrase.isEmpty ? "" : " \(phrase)")\r\n"
        for field in answer.headerFields { head += "\(field.name.rawName): \(field.value)\r\n" }
        if let framing {
            head += framing
        } else if answer.status.code != 204, answer.status.code != 304 {
            head += "Content-Length: \(answer.body.count)\r\n"
        }
        if !keepsAlive { head += "Connection: close\r\n" }
        return Array((head + "\r\n").utf8)
    }

    private func half(_ answer: OriginResponse, chunked: Bool) -> [UInt8] {
        let part = answer.body.prefix((answer.body.count + 1) / 2)
        guard chunked else { return head(answer) + part }
        let size = Array("\(String(part.count, radix: 16))\r\n".utf8)
        return head(answer, framing: "Transfer-Encoding: chunked\r\n") + size + part + Array("\r\n".utf8)
    }

    private func drip(_ rest: ArraySlice<UInt8>, _ bytesPerSecond: Int) -> EventLoopFuture<Void> {
        guard !rest.isEmpty else { return channel.eventLoop.makeSucceededVoidFuture() }
        let rate = max(bytesPerSecond, 1)
        let count = max(rate / 20, 1)
        let pause = TimeAmount.nanoseconds(Int64(count) * 1_000_000_000 / Int64(rate))
        return write(Array(rest.prefix(count))).flatMap {
            channel.eventLoop.scheduleTask(in: pause) {}.futureResult
        }
        .flatMap { drip(rest.dropFirst(count), bytesPerSecond) }
    }

    /// A reset discards data that the peer has not read yet, so the head gets a moment to arrive.
    private func resetSoon() -> EventLoopFuture<Void> {
        channel.eventLoop.scheduleTask(in: .milliseconds(50)) {}.futureResult.flatMap { channel.resetAndWait() }
    }
}

extension Channel {
    /// Closes with RST instead of FIN: SO_LINGER with a zero timeout.
    func resetAndWait() -> EventLoopFuture<Void> {
        guard let options = self as? any SocketOptionProvider else { return close() }
        return options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).flatMap { self.close() }
    }

    func reset() {
        resetAndWait().whenComplete { _ in }
    }
}

// SPDX-License-Identifier: Apache-2.0
internal import AsyncHTTPClient
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import SidingChain
internal import SidingSynchronization

/// Sends a request and waits for the head of the response, while it sends a streamed body.
struct Upload {
    private typealias Channel = (writer: HTTPClient.Body.StreamWriter, done: EventLoopPromise<Void>)

    private let hop: CheckedRequest
    private let exchange: Exchange
    private let client: RunningClient
    private let deadline: NIODeadline

    init(_ hop: CheckedRequest, over exchange: Exchange, on client: RunningClient, until deadline: NIODeadline) {
        (self.hop, self.exchange, self.client, self.deadline) = (hop, exchange, client, deadline)
    }

    /// Sends the request and returns the head of the response.
    func head() async throws(Failure) -> ResponseHead {
        switch hop.body {
        case .none:
            try start(body: nil)
            return try await exchange.head()
        case .bytes(let bytes):
            try start(body: .byteBuffer(ByteBuffer(bytes: bytes)))
            return try await exchange.head()
        case .stream(length: 0, _):
            // AsyncHTTPClient never asks for the chunks of an empty body.
            try start(body: .byteBuffer(ByteBuffer()))
            return try await exchange.head()
        case .stream(let length, let chunks):
            return try await streamed(length, chunks()).get()
        }
    }

    private func start(body: HTTPClient.Body?) throws(Failure) {
        let request: HTTPClient.Request
        var headers = hop.headers
        if let meter = exchange.meter { headers.add(name: MeteredRequests.field, value: "\(meter)") }
        do {
            request = try HTTPClient.Request(
                url: hop.url.description, method: HTTPMethod(rawValue: hop.method.rawValue), headers: headers,
                body: body)
        } catch {
            exchange.abort(.invalidRequest)
            throw Failure(.invalidRequest, phase: .notSent, detail: "the client below does not take this URL")
        }
        exchange.began(client.client.execute(request: request, delegate: exchange), until: deadline)
    }

    /// A response may come before the upload is complete: an error status ends the upload, a success lets it finish.
    private func streamed(
        _ length: Int?, _ next: @escaping @Sendable () async throws -> [UInt8]?
    ) async -> Result<ResponseHead, Failure> {
        let channel = Promise<Channel?>()
        let loop = client.loop
        let body = HTTPClient.Body.stream(contentLength: length.map(Int64.init)) { writer in
            let done = loop.makePromise(of: Void.self)
            if !channel.resolve((writer, done)) { done.fail(CancellationError()) }
            return done.futureResult
        }
        do { try start(body: body) } catch { return .failure(error) }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { await feed(channel, next) }
            let head: Result<ResponseHead, Failure>
            do throws(Failure) { head = .success(try await exchange.head()) } catch { head = .failure(error) }
            if case .success(let answer) = head, (200..<300).contains(answer.status) {
                await group.waitForAll()
            } else {
                group.cancelAll()
            }
            return head
        }
    }

    private func feed(
        _ channel: Promise<Channel?>, _ next: @Sendable () async throws -> [UInt8]?
    ) async {
        guard let (writer, done) = await channel.value(orWhenCancelled: nil) else { return }
        do {
            while !Task.isCancelled, let chunk = try await next() {
                guard await isTaken(writer.write(.byteBuffer(ByteBuffer(bytes: chunk)))) else { break }
            }
            done.succeed()
        } catch {
            exchange.abort(wrapping: error)
            done.fail(error)
        }
    }

    /// Waits until the connection accepts more. AsyncHTTPClient never completes a write after an early error response.
    private func isTaken(_ write: EventLoopFuture<Void>) async -> Bool {
        let answer = Promise<Bool>()
        write.whenComplete { result in
            if case .success = result { answer.resolve(true) } else { answer.resolve(false) }
        }
        return await answer.value(orWhenCancelled: false)
    }
}

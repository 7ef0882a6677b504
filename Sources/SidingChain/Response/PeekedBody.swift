// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// The start of a body, read ahead, and the complete body for the next reader.
struct PeekedBody: Sendable {
    /// At most the requested number of bytes.
    let start: [UInt8]
    /// Whether the start is the whole body.
    let isWhole: Bool
    /// The complete body: the chunks read ahead, then the rest, or the failure that ended the reading.
    let body: ReplyBody

    /// Reads chunks until they hold more than `limit` bytes, or the body ends.
    init(_ body: ReplyBody, upTo limit: Int) async {
        var chunks: [[UInt8]] = []
        var count = 0
        var end: ReadAhead.End?
        do throws(Failure) {
            while count <= limit, end == nil {
                guard let chunk = try await body.next() else {
                    end = .finished
                    break
                }
                chunks.append(chunk)
                count += chunk.count
            }
        } catch {
            end = .failed(error)
        }
        start = Array(chunks.joined().prefix(limit))
        if case .finished = end { isWhole = true } else { isWhole = false }
        let ahead = ReadAhead(chunks, end)
        self.body = ReplyBody(length: body.length) { () async throws(Failure) -> [UInt8]? in
            switch ahead.next() {
            case .chunk(let chunk): chunk
            case .end(.finished): nil
            case .end(.failed(let failure)): throw failure
            case .end(nil): try await body.next()
            }
        }
    }
}

/// Returns the chunks that were read ahead.
private final class ReadAhead: Sendable {
    enum End: Sendable {
        case finished
        case failed(Failure)
    }

    enum Step: Sendable {
        case chunk([UInt8])
        /// Nil if the body has more chunks.
        case end(End?)
    }

    private let rest: Mutex<[[UInt8]]>
    private let end: End?

    init(_ chunks: [[UInt8]], _ end: End?) {
        rest = Mutex(chunks.reversed())
        self.end = end
    }

    func next() -> Step {
        rest.withLock { $0.popLast() }.map(Step.chunk) ?? .end(end)
    }
}

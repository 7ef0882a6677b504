// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting
import SidingSynchronization

/// A directory, an origin of scripted answers, and downloads between them.
struct DownloadBench: Sendable {
    /// One answer, with the length that its body claims.
    struct Answer: Sendable {
        var status = 200
        var fields: HTTPFields = [.eTag: "\"v1\""]
        var chunks: [[UInt8]] = []
        /// Nil for an answer whose end is not declared.
        var length: Int?
        var ending: Failure?
        var failure: Failure?

        /// A whole file, or what of it comes before `cut`.
        static func whole(
            _ bytes: [UInt8], cut: Int? = nil, fields: HTTPFields = [.eTag: "\"v1\""],
            ending: Failure = Failure(.connectionLost, phase: .maybeSent)
        ) -> Answer {
            Answer(
                fields: fields, chunks: bytes.prefix(cut ?? bytes.count).map { [$0] }, length: bytes.count,
                ending: cut == nil ? nil : ending)
        }

        static func part(
            _ bytes: [UInt8], range: String, cut: Int? = nil, fields: HTTPFields = [.eTag: "\"v1\""]
        ) -> Answer {
            var answer = whole(bytes, cut: cut, fields: fields)
            answer.status = 206
            answer.fields[.contentRange] = range
            return answer
        }

        static func status(_ status: Int, _ fields: HTTPFields = [:]) -> Answer {
            Answer(status: status, fields: fields, length: 0)
        }
    }

    let directory: TemporaryDirectory
    let transport: Scripted
    var path: String { directory.path(of: "map.bin") }

    init(_ answers: [Answer]) throws {
        directory = try TemporaryDirectory()
        transport = Scripted(answers)
    }

    /// The header fields of each request so far.
    var asked: [HTTPFields] { transport.asked.withLock { $0.map(\.headerFields) } }

    func node(
        _ destination: FileDestination? = nil, limit: Int = .max, requiresDeclaredLength: Bool = true
    ) -> FileDownloadNode<some Node<RequestDraft, ChainResponse<ReplyBody?>>> {
        FileDownloadNode(
            Self.chain(transport), to: destination ?? FileDestination(path), limit: limit,
            requiresDeclaredLength: requiresDeclaredLength)
    }

    static func chain(_ transport: some Transport) -> some Node<RequestDraft, ChainResponse<ReplyBody?>> {
        RequestCreatorNode().then(RequestSenderNode(transport)).then(ResponseProcessorNode())
            .then(ResponseHTTPErrorProcessorNode()).then(ResponseDataPreprocessorNode())
    }

    @discardableResult
    func download(_ url: String = "http://a/map?token=canary", _ method: HTTPRequest.Method = .get) async throws
        -> DownloadedFile
    {
        try await node().process(Self.draft(url, method), .test)
    }

    func failure(_ url: String = "http://a/map?token=canary", _ method: HTTPRequest.Method = .get) async throws
        -> Failure?
    {
        await node().failure(try Self.draft(url, method))
    }

    static func draft(_ url: String = "http://a/map", _ method: HTTPRequest.Method = .get) throws -> RequestDraft {
        RequestDraft(route: RequestRoute(method, try HTTPURL(url)))
    }

    /// The names in the directory, sorted.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).sorted() }

    var part: String? { names.first { $0.hasSuffix(".part") }.map(directory.path(of:)) }
    var record: String? { names.first { $0.hasSuffix(".resume") }.map(directory.path(of:)) }

    var partBytes: [UInt8]? { part.flatMap(bytes) }
    var recordText: String? { record.flatMap(bytes).map { String(decoding: $0, as: UTF8.self) } }

    /// The finished file.
    func bytes() -> [UInt8]? { bytes(path) }

    func bytes(_ path: String) -> [UInt8]? { FileManager.default.contents(atPath: path).map { [UInt8]($0) } }

    func mode(_ path: String?) throws -> Int? {
        guard let path else { return nil }
        return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    func write(_ bytes: [UInt8], to path: String) throws { try Data(bytes).write(to: URL(filePath: path)) }
}

extension DownloadBench {
    /// Gives its answers in order.
    final class Scripted: Transport {
        let asked = Mutex<[HTTPRequest]>([])
        private let rest: Mutex<[Answer]>

        init(_ answers: [Answer]) { rest = Mutex(answers.reversed()) }

        func send(_ request: HTTPRequest, body: EncodedBody) async throws(Failure) -> Reply {
            asked.withLock { $0.append(request) }
            guard let answer = rest.withLock({ $0.popLast() }) else {
                throw Failure(.internalFault, phase: .notSent, detail: "no answer is scripted")
            }
            if let failure = answer.failure { throw failure }
            let chunks = ReplyBodyTests.body(answer.chunks, answer.ending)
            return Reply(
                response: HTTPResponse(status: .init(code: answer.status), headerFields: answer.fields),
                body: ReplyBody(length: answer.length) { () async throws(Failure) -> [UInt8]? in
                    try await chunks.next()
                },
                url: try request.checkedURL())
        }
    }
}

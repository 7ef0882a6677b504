// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import SidingKit
import SidingTesting
import Testing

/// The snippets of Docs/Chains.md, word for word. `tracker` has the base URL of an origin of the test.
struct ChainsSnippets {
    struct Draft: Codable, Sendable { var title: String }
    struct Issue: Codable, Sendable { var id: Int, title: String, state: String, comments: Int, version: Int }

    let tracker: URLChainBuilder

    static func builder() throws -> URLChainBuilder {
        let base = "https://api.example.com/v2"
        let tracker = try URLChainBuilder(baseURL: base)
        return tracker
    }

    func whatAChainIs() async {
        let create: Chain<Draft, Issue> = tracker.route(.post, "/issues").build()
        let open: Chain<Void, [Issue]> = tracker.route(.get, "/issues").set(query: ["state": "open"]).build()
        do {
            let issue = try await create(Draft(title: "Gate 4 does not close"))
            print(issue.id, try await open().count)
        } catch {  // always a Failure: chains throw nothing else
            switch error.reason {
            case .noInternetConnection: print("no line")
            case .http(let answer): print(answer.status, answer.name, answer.headerFields[.retryAfter] ?? "")
            default: print(error)  // what, at which node, for which URL; no secret
            }
        }
        print(open.description)  // ModelInputNode(AborterNode(LoggerNode(MetadataConnectorNode → …
    }

    struct NewestFirstNode: Node {
        func process(_ input: [Issue], _ context: ChainContext) async throws(Failure) -> [Issue] {
            guard !input.isEmpty else {
                throw Failure(.contract, phase: .answered, detail: "a project without issues").at(node: name)
            }
            context.log(.debug, "issues were sorted", node: name, ["count": "\(input.count)"])
            return input.sorted { $0.id > $1.id }
        }
    }

    func ownNode() async throws -> [Int] {
        let open: Chain<Void, [Issue]> = tracker.route(.get, "/issues").build()
        let newest = Chain(LoggerNode(open.then(NewestFirstNode())))  // within a LoggerNode its events are heard
        return try await newest().map(\.id)
    }

    func forms() async throws {
        let one: Chain<Int, Issue> = tracker.route(.get, "/issues/{id}").build(.path { ["id": "\($0)"] }, .json)
        let edit: Chain<Issue, Issue> =
            tracker.route(.put, "/issues/{id}").build(.json.path { ["id": "\($0.id)"] }, .json)
        let document: Chain<Void, JSONDocument> = tracker.route(.get, "/issues/7").build(.none, .raw)
        let upload: Chain<Data, LoadedResponse> = tracker.route(.put, "/logo").build(.bytes, .bytes)
        #expect(try await edit(one(7)).id == 7)
        #expect(try await document().value(at: "$.id")?.digits == "7")
        #expect(try await upload(Data([1, 2])).response.status == .ok)
    }

    func properties() async throws -> Int {
        let patient = tracker.with(\.assembly.retry, RetryPolicy(retries: 2)).with(\.assembly.deadline, .seconds(20))
            .with(\.assembly.headerFields, [.acceptLanguage: "en"])
        let polite = ThrottleNode(
            patient.route(.get, "/issues").build(Void.self, to: [Issue].self),
            interval: .milliseconds(200))
        return try await polite.outcome().get().count
    }

    func query() async throws {
        let search: Chain<Void, [Issue]> = tracker.route(.get, "/issues?sort=new")
            .set(query: ["labels": ["bug", "door"], "open": true, "by": ["name": "bob"]])
            .set(boolEncodingStrategy: .asBool).set(arrayEncodingStrategy: .comma).set(dictEncodingStrategy: .dots)
            .build()  // /issues?sort=new&by.name=bob&labels=bug,door&open=true
        _ = try await search()
    }

    func bodies() async throws {
        let signIn: Chain<[String: String], Void> = tracker.route(.post, "/session").encode(as: .formURL).build()
        let filter: Chain<Draft, [Issue]> = tracker.route(.get, "/issues").encode(as: .urlQuery).build()
        let replace: Chain<Data, Void> = tracker.route(.put, "/logo").encode(as: .raw).build()
        let close: Chain<Void, Void> =
            tracker.route(.delete, "/issues/{id}", parameters: ["id": "4/7"]).build()  // /issues/4%2F7
        let plain = try tracker.set(metadata: HTTPFields(headerObject: JSONRequestHeaderFields()))
        let finnish = tracker.set(metadata: ["X-Locale": "fi"])  // a name that no field has fails the calls
        try await signIn(["user": "a b"])
        _ = try await filter(Draft(title: "x"))
        try await replace(Data([1]))
        try await close()
        let all: Chain<Void, [Issue]> = plain.route(.get, "/issues").build()
        let others: Chain<Void, [Issue]> = finnish.route(.get, "/issues").build()
        #expect(try await all().count == others().count)
    }

    func multipart(_ photo: String) async throws {
        var form = MultipartForm()
        form.append(field: "title", value: "Broken gate")
        form.append(fields: ["user": ["name": "bob", "tags": ["a", "b"]]])  // user[name], user[tags][]
        form.append(file: photo, name: "photos[]")  // a path; image/jpeg by its name
        form.append(data: [0xFF, 0xD8], name: "photos[]", filename: "small.jpg", contentType: "image/jpeg")
        let report: Chain<MultipartForm, Issue> = tracker.route(.post, "/reports").build()
        let filed = try await report(form)
        #expect(filed.id == 7)
    }

    func download(to path: String) async throws {
        let large = HTTPTransport(HTTPTransportConfiguration(settings: TransportSettings().forDownloads()))
        let map = tracker.with(\.assembly.transport, large).route(.get, "/map.pbf")
            .reportProgress { print($0.fraction ?? 0, $0.completed) }  // a TransferProgress, at most every hundredth
            .buildDownload(to: FileDestination(path))
        let handle = CallHandle()  // one per call; a second call with it fails
        async let file = map(ChainContext(handle: handle))
        print(try await file.path)
        handle.cancel()  // from anywhere, while it runs; or cancel the task
    }

    func access(_ directory: String, _ refresher: TokenRefresherNode) async throws {
        var access = AccessSettings(
            account: "tracker", store: FileCredentialStore(directory: directory), refresher: refresher)
        access.gate = FileRefreshGate(directory: directory)  // the folder has mode 0700, its files 0600
        access.early = .seconds(60)  // renews a token that ends within a minute
        access.initial = { Credential(accessToken: "", refreshToken: "r1") }  // while the store has none
        let safety = AccessSafety(access)
        let me: Chain<Void, Issue> = tracker.access(safety).route(.get, "/me").build()
        _ = try await me()
    }

    func caches() async throws {
        let responses = InMemoryResponseCache()  // or SQLiteResponseCache.open(at: path), which outlives the process
        let cached = tracker.route(.get, "/issues").cache(responses, keying: CacheKeying(account: "me"))
        let safe = try cached.buildCached(.serverIfFailsCache, to: [Issue].self)
        let answer = try await safe()
        if case .cache(let age, _, _) = answer.source, let failure = answer.failure { print("\(age) old:", failure) }

        let twice = try cached.buildCacheThenServer(to: [Issue].self)
        for try await answer in try await twice() { print(answer.source, answer.body.count) }
    }

    struct Refusal: Decodable, Error, Sendable { var code: Int, message: String }

    func envelope() async {
        let wrapped = tracker.envelope(at: "$.data")  // {"data": …}
            .errors(ResponseErrorEnvelopeNode(reading: Refusal.self) { refusal, _ in refusal })
        let issue: Chain<Void, Issue> = wrapped.route(.get, "/issues/7").build()
        do { _ = try await issue() } catch {
            if let refusal = error.underlying as? Refusal { print(refusal.code, refusal.message) }
        }
    }

    func pager(_ base: String) async throws {
        let list = RequestRoute(.get, try HTTPURL("\(base)/issues"))
        let pager = Pager(from: PagerPosition.page(1, size: 50)) { position in
            let page: Chain<Void, [Issue]> = try tracker.route(list.method, list.at(position).url).build()
            let issues = try await page()
            return PagerAnswer(page: issues, next: position.next(after: issues.count))
        }
        while let issues = try await pager.next() { print(issues.count) }  // or: for try await issues in pager
        let saved = pager.saveState()  // a PagerState, Codable: another process goes on
        pager.restoreState(saved)
        pager.renew()  // from the first page
    }

    func middlewares() async throws -> Int {
        let middlewares = Middlewares()
            .transform("locale") { draft, _ in draft.with(\.headerFields[.acceptLanguage], "en").with(\.retries, 3) }
            .transform("trace", runs: .oncePerAttempt) { draft, _ in draft.with(\.headerFields[.via], "gateway") }
            .sideEffect("audit") { draft, _ in print(draft.route.url.path) }  // cannot fail the request
            .onFailure("help") { failure, _, _ in failure.with(\.detail, failure.detail ?? "see the manual") }
        let audited: Chain<Void, [Issue]> = tracker.with(\.assembly.middlewares, middlewares)
            .filter(middlewares: MiddlewareFilter(including: ["audit", "locale"])).route(.get, "/issues").build()
        let quiet = MiddlewareFilter(excluding: ["audit"])
        let issues = try await audited(ChainContext().with(\.middlewareFilter, quiet))
        return issues.count
    }

    func railway(_ siding: Siding, _ resource: Resource<Issue>) async throws -> Int {
        let current: Chain<Void, [Issue]> = tracker.route(.get, "/issues").build()
        let stored = FetchRecordsStep { (_: Void) in siding.records(of: resource).where(\.state == "open") }
        let line = Railway(RequestStep(current))
            .then(
                RequestStep(
                    .onSuccess { issues in issues.filter { $0.state == "open" } },
                    SaveRecordsStep(to: resource, in: siding), ResultProcessor { outcomes in outcomes.count })
            )
            .then(
                RequestStep(
                    RequestGenerator<Int, Void>.onSuccess { _ in }
                        .recovering(where: { $0.reason == .noInternetConnection }) { _ in }, stored))
        let issues = try await line.outcome().get()  // the stored ones, line or no line
        return issues.count
    }

    func limits() throws -> HTTPTransport {
        var settings = TransportSettings()
        (settings.idleTimeout, settings.concurrency, settings.compression) = (.seconds(60), 2, .never)
        settings.proxies = ProxyRules(
            try Proxy("http://proxy.example.com:3128"), exceptions: ["*.local", "10.0.0.0/8"])
        settings.tls = TLSSettings(authorities: "/etc/company/ca.pem", minimumVersion: .v1_3)
        let transport = HTTPTransport(HTTPTransportConfiguration(settings: settings))
        return transport
    }
}

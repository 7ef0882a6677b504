// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Siding
internal import SidingInspection

/// Answers requests: who may ask, and which part of the service answers.
struct ServiceRoutes: Sendable {
    let served: ServedStore
    let pages: WebPages
    let admission: Admission
    let tokens = FormTokens()
    let limits: ServiceLimits
    let state = ServiceState()
    let syncs = RequestedSyncs()

    enum Reply: Sendable {
        case answer(ServiceAnswer)
        case events(EventStream)
    }

    /// - Parameter body: reads the body of the request.
    func reply(to request: ServiceRequest, body: () async throws -> [UInt8]) async throws -> Reply {
        try admission.checkHost(request)
        switch request.path {
        // A monitor needs no token; it learns nothing but whether the service works.
        case ["healthz"]: return .answer(await health())
        case ["readyz"]: return .answer(await readiness())
        default: try admission.checkToken(request)
        }
        guard request.method != .post else { return .answer(try await post(request, body)) }
        switch request.path {
        case ["metrics"]: return .answer(try await metricsText())
        case ["events"]: return .events(EventStream(path: served.store.path, clock: served.clock))
        case ["style.css"]:
            return .answer(ServiceAnswer("text/css; charset=utf-8", PackageResources.style_css))
        case ["app.js"]:
            return .answer(ServiceAnswer("text/javascript; charset=utf-8", PackageResources.app_js))
        case let path where path.first == "api":
            let routes = InspectionRoutes(served: served)
            return .answer(try await routes.answer(Array(path.dropFirst()), request.query))
        default: return .answer(try await page(request))
        }
    }

    /// Says why a request has no other answer: to programs as an object, to people as a page.
    func answer(_ problem: ServiceProblem, to head: HTTPRequest) -> ServiceAnswer {
        var answer =
            ServiceRequest.isForProgram(head)
            ? ServiceAnswer.json(problem.object, problem.status)
            : .html(pages.html(ProblemScreen(problem), in: ServiceRequest.section(head)), problem.status)
        for field in problem.fields { answer.fields.append(field) }
        return answer
    }

    private func page(_ request: ServiceRequest) async throws -> ServiceAnswer {
        let session = tokens.session(of: request)
        let page = try await pages.page(
            request.path, request.query, formToken: session.token, done: tokens.notice(of: request))
        var answer = ServiceAnswer.html(page)
        for field in session.fields { answer.fields.append(field) }
        return answer
    }

    // MARK: Actions

    private func post(_ request: ServiceRequest, _ body: () async throws -> [UInt8]) async throws -> ServiceAnswer {
        try admission.checkOrigin(request)
        let routes = OperatorRoutes(served: served, syncs: syncs)
        if request.path.first == "api" {
            try admission.checkMayAct(request)
            try request.query.check("how", "real_id")
            let result = try await routes.act(
                Array(request.path.dropFirst()), request.query, record: body(), by: .program)
            return .json(result.object, result.isDone ? .ok : .conflict)
        }
        guard request.contentType == "application/x-www-form-urlencoded" else {
            throw ServiceProblem(.unsupportedMediaType, "media_type", "pages take forms only")
        }
        guard let text = String(validating: try await body(), as: UTF8.self) else {
            throw ServiceProblem.usage("the form is not UTF-8")
        }
        let form = try Parameters(text)
        try tokens.check(form, of: request)
        let record = Array((try form.value("record") ?? "").utf8)
        let result = try await routes.act(request.path, form, record: record, by: .page)
        let proof = tokens.proof(of: result.message, to: request) ?? ""
        let query = result.query + [("done", result.message), ("proof", proof)]
        return .seeOther(PageLink.path(result.page, query: query))
    }

    // MARK: Monitoring

    private func health() async -> ServiceAnswer {
        await served.isLive()
            ? .json(["status": "ok"])
            : .json(["status": "failed", "reason": "the service has not looked for work lately"], .serviceUnavailable)
    }

    private func readiness() async -> ServiceAnswer {
        if state.isStopping { return .json(["status": "stopping"], .serviceUnavailable) }
        do {
            _ = try await served.store.gates()
            // Its message may name files, which a monitor without a token may not see.
            if let failure = served.storeFailure() {
                return .json(
                    ["status": "failed", "reason": "nothing can be stored: \(failure.kind.rawValue)"],
                    .serviceUnavailable)
            }
            return .json(["status": "ok"])
        } catch {
            return .json(["status": "failed", "reason": "the database does not answer"], .serviceUnavailable)
        }
    }

    private func metricsText() async throws -> ServiceAnswer {
        let figures = try await MetricsText.text(
            resources: served.resources(), targets: served.targets(), store: served.store, now: served.now)
        return ServiceAnswer(
            "text/plain; version=0.0.4; charset=utf-8", Array((figures + (try await served.metrics())).utf8))
    }
}

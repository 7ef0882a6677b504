// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingCredentials
internal import SidingPaging
internal import Tracing

/// What the spans and counters of a sync say.
extension WorkSpan {
    /// Notes and counts the end of a run.
    func ended(_ outcome: RunOutcome, error: String? = nil, after stopwatch: Stopwatch) {
        set("siding.outcome", outcome.rawValue)
        if outcome == .failed { fail(error ?? outcome.rawValue) }
        Instrument.runs.count(("outcome", outcome.rawValue))
        Instrument.runDuration.record(stopwatch.elapsed())
    }

    /// Notes the end of a resource in a run.
    func set(_ result: RunResource, of resource: AnyResource) {
        set("siding.resource", resource.name)
        set("siding.source", resource.source.name)
        set("siding.outcome", result.outcome?.rawValue)
        set("siding.pages", result.counters.pages)
        if result.outcome == .failed { fail(result.error?.name ?? "failed", status: result.error?.status) }
    }

    /// Fetches a page within a span; notes, counts and times its end.
    static func ofPage(
        _ page: PageRequest, of resource: AnyResource, on clock: any Clock<Duration>,
        _ fetch: () async throws(PageFailure) -> Page
    ) async throws(PageFailure) -> Page {
        try await within("siding.page", kind: .client) { span throws(PageFailure) in
            span.set("siding.resource", resource.name)
            span.set("siding.source", resource.source.name)
            span.set("siding.page", page.number)
            span.set("http.request.method", resource.method.rawValue)
            span.set("url.full", Redaction.url(page.url, also: resource.source.authorization.secretQueryNames))
            let stopwatch = Stopwatch(clock)
            do throws(PageFailure) {
                let fetched = try await fetch()
                span.set("http.response.status_code", fetched.status)
                span.ended(page: fetched.outcome, of: resource, after: stopwatch)
                return fetched
            } catch {
                span.fail(error.failure.reason.name, status: error.failure.status)
                span.ended(page: "failed", of: resource, after: stopwatch)
                throw error
            }
        }
    }

    private func ended(page outcome: String, of resource: AnyResource, after stopwatch: Stopwatch) {
        set("siding.outcome", outcome)
        Instrument.pages.count(("resource", resource.name), ("outcome", outcome))
        Instrument.pageDuration.record(stopwatch.elapsed(), ("resource", resource.name))
    }
}

extension Page {
    fileprivate var outcome: String {
        if case .notModified = content { RunOutcome.notModified.rawValue } else { "fetched" }
    }
}

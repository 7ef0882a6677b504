// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
package import SidingChain
internal import SidingCredentials
internal import SidingInspection

/// Calls hooks: runs their programs, and sends their requests.
package struct HookCall: Sendable {
    /// Why a hook did not take what it was given.
    struct Fault: Error, Sendable {
        let reason: String
    }

    /// Nil where no request may be sent.
    let transports: (any TransportFactory)?
    let clock: any Clock<Duration>
    /// The variables of this process, of which programs get few.
    let variables: [String: String]

    package init(
        transports: (any TransportFactory)?, clock: any Clock<Duration> = ContinuousClock(),
        variables: [String: String]
    ) {
        (self.transports, self.clock) = (transports, clock)
        self.variables = variables.filter { Self.isPassedOn($0.key) }
    }

    /// A program gets what most programs need, and no secret that is meant for Siding.
    private static func isPassedOn(_ name: String) -> Bool {
        ["HOME", "LANG", "LOGNAME", "PATH", "TMPDIR", "TZ", "USER"].contains(name) || name.hasPrefix("LC_")
    }

    /// Whether requests may be sent.
    var canSend: Bool { transports != nil }

    /// Calls a hook with a sample.
    ///
    /// - Returns: why the hook failed; nil if it took it.
    package func test(_ hook: NotificationHook, host: String, now: Timestamp) async -> String? {
        let sample = Notification.test
        do throws(Fault) {
            if hook.isPing {
                try await ping(hook, "", sample.text, within: hook.timeout)
            } else {
                try await deliver(sample.object(host: host, now: now).bytes, to: hook)
            }
            return nil
        } catch {
            return error.reason
        }
    }

    /// Gives `bytes`, a notification, to a hook that is no ping.
    func deliver(_ bytes: [UInt8], to hook: NotificationHook) async throws(Fault) {
        switch hook.target {
        case .command(let program):
            // A line, so that a program may add each notification to a file as it is.
            let line = bytes + [UInt8(ascii: "\n")]
            do {
                try await program.run(variables, input: line, within: hook.timeout, on: clock)
            } catch { throw Fault(reason: error.reason) }
        case .url(let address, let headers):
            var fields: HTTPFields = [.contentType: "application/json"]
            let url: HTTPURL
            do throws(Failure) {
                for header in headers { fields[header.name] = try await header.value.read() }
                url = try HTTPURL(try await address.read())
            } catch { throw Self.fault(error) }
            try await post(bytes, to: url, fields, hook, within: hook.timeout)
        case .ping: return
        }
    }

    /// Sends a ping: `suffix` is added to the path of its address.
    func ping(_ hook: NotificationHook, _ suffix: String, _ text: String, within limit: Duration) async throws(Fault) {
        guard case .ping(let address) = hook.target else { return }
        let target: HTTPURL
        do throws(Failure) {
            let url = try HTTPURL(try await address.read())
            let path = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
            target = try HTTPURL("\(url.origin)\(path)\(suffix)\(url.query.map { "?\($0)" } ?? "")")
        } catch { throw Self.fault(error) }
        try await post(
            Array(text.utf8), to: target, [.contentType: "text/plain; charset=utf-8"], hook, within: limit)
    }

    private func post(
        _ bytes: [UInt8], to url: HTTPURL, _ fields: HTTPFields, _ hook: NotificationHook, within limit: Duration
    ) async throws(Fault) {
        guard let transports else { throw Fault(reason: "no request may be sent") }
        var settings = hook.transport
        settings.connectTimeout = min(settings.connectTimeout, limit)
        settings.totalTimeout = limit
        (settings.redirects, settings.maxBody, settings.concurrency) = (0, 1 << 20, 1)
        let reply: Reply
        do throws(Failure) {
            reply = try await transports.transport(for: "notify \(hook.id)", settings)
                .send(url.request(.post, headerFields: fields), body: .bytes(bytes))
        } catch { throw Self.fault(error) }
        // So that the connection can be used again; what the answer says does not matter.
        _ = try? await reply.body.collect(upTo: settings.maxBody)
        let status = reply.response.status
        guard status.kind == .successful else { throw Fault(reason: "it answered \(status.code)") }
    }

    /// The message for a person. Whether there is a route would only choose between two words for the same.
    private static func fault(_ failure: Failure) -> Fault {
        Fault(reason: TechnicalErrors.classify(failure) { true }.description)
    }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import Siding
import SidingChain
import SidingCredentials
import SidingHTTP
import SidingJSON
import SidingManifest

/// How requests to a source reach it: proxy, trust, certificate, interface; for `siding doctor`, `check` and `plan`.
enum SourceNetwork {
    /// Nil if nothing is out of the ordinary.
    static func description(of source: Source) -> String? {
        let settings = source.connection
        var parts: [String] = []
        if source.baseURL.isUnixSocket { parts.append("through the socket \(source.baseURL.host)") }
        if let proxy = settings.proxies.proxy(for: source.baseURL) { parts.append("through the proxy \(proxy)") }
        if let interface = settings.interface { parts.append("over the interface \(interface)") }
        if let file = settings.tls.authorities {
            parts.append(settings.tls.trustsOnlyAuthorities ? "trusts only \(file)" : "trusts \(file) too")
        }
        if let place = settings.tls.systemAuthorities, source.baseURL.scheme == "https",
            !settings.tls.trustsOnlyAuthorities
        {
            parts.append("system's authorities: \(place)")
        }
        if let file = settings.tls.certificate { parts.append("shows the certificate \(file)") }
        return parts.isEmpty ? nil : PlainText.oneLine(parts.joined(separator: ", "), limit: 1_000)
    }

    /// The certificate files that a connection could not use, in file order.
    static func certificateFaults(of config: Config) async -> [Fault] {
        var faults: [Fault] = []
        for source in config.sources {
            guard description(of: source) != nil, let place = config.place(ofSource: source.name) else { continue }
            do throws(Failure) { _ = try await PEMFiles.check(source.transport.tls) } catch {
                // The password of a key is one of the config's secrets, whose faults name it.
                guard !(error.underlying is SecretError) else { continue }
                let message = "source '\(source.name)': \(error.detail ?? error.description)"
                faults.append(Fault(place: place, message: message))
            }
        }
        return faults
    }

    static func findings(for sources: [Source], now: Timestamp) async -> [Finding] {
        var findings: [Finding] = []
        for source in sources {
            guard let description = description(of: source) else { continue }
            findings.append(Finding(check: "network", level: .good, message: "\(source.name): \(description)"))
            do throws(Failure) {
                guard let end = try await PEMFiles.check(source.transport.tls) else { continue }
                let days = Int((end - now) / .seconds(86_400))
                let isSoon = days < 30
                findings.append(
                    Finding(
                        check: "network", level: isSoon ? .warning : .good,
                        message: "\(source.name): its client certificate ends \(end.rfc3339)"
                            + (end <= now ? ", which is past" : isSoon ? ", in \(days) days" : "")))
            } catch {
                findings.append(
                    Finding(
                        check: "network", level: .bad, message: "\(source.name): \(error.detail ?? error.description)",
                        status: .config))
            }
        }
        return findings
    }
}

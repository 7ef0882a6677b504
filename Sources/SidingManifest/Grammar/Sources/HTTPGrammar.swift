// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingJSON

/// Limits on the requests and answers of a source: `http:`.
enum HTTPGrammar {
    private static let defaults = TransportSettings()

    static let connectTimeout = Keyword(
        "connect_timeout", .duration, default: "5s", "The time to connect, TLS included.")
    static let idleTimeout = Keyword(
        "idle_timeout", .duration, default: "30s", "The longest silence between two reads.")
    static let totalTimeout = Keyword(
        "total_timeout", .duration, default: "2m", "The budget of one request, redirects and body included.")
    static let maxBody = Keyword("max_body", .size(upTo: 16 << 30), default: "64MiB", "The largest decompressed body.")
    static let redirects = Keyword("redirects", .integer(0...20), default: 5, "The maximum number of redirects.")
    static let redirectTo = Keyword(
        "redirect_to", .list(of: .origin, "a list of origins such as [https://cdn.example.com]"),
        "Other origins that redirects may lead to. Credentials are not sent to them.")
    static let concurrency = Keyword(
        "concurrency", .integer(1...64), default: 4, "The maximum number of connections at a time.")
    static let allowPlainHTTP = Keyword(
        "allow_plain_http", .truth, default: false, "Whether http:// is allowed for hosts other than this machine.")

    static let minRate = Keyword(
        "min_rate", .size(upTo: 1 << 30), default: "1KiB",
        "The bytes per second that an answer must reach, checked every 30 seconds; 1 for nearly no limit.")
    static let compression = Keyword(
        "compression", ValueType<Compression>.choice, default: "auto",
        "Whether compressed answers are requested; auto: from other machines.")
    static let userAgent = Keyword(
        "user_agent", ValueType<String>.text("text"), default: "siding", "The User-Agent field.")
    static let interface = Keyword(
        "interface", ValueType<String>.text("the name of an interface such as wwan0, or an address of this machine"),
        "The network interface that connections use: its name, or one of this machine's addresses.")

    enum Compression: String, Sendable, CaseIterable {
        case auto, always, never
        var setting: TransportSettings.Compression {
            switch self {
            case .auto: .automatic
            case .always: .always
            case .never: .never
            }
        }
    }

    static let shape = Shape<HTTPBounds>([
        connectTimeout.entry, idleTimeout.entry, totalTimeout.entry, minRate.entry, maxBody.entry, redirects.entry,
        redirectTo.entry, concurrency.entry, compression.entry, userAgent.entry,
        interface.entry, ProxyGrammar.proxy.entry, allowPlainHTTP.entry,
    ]) { object, reading in
        var bounds = HTTPBounds()
        bounds.proxies = object.value(ProxyGrammar.proxy, &reading)
        bounds.transport.minimumRate = object.value(minRate, &reading) ?? defaults.minimumRate
        bounds.transport.compression = object.value(compression, &reading)?.setting ?? defaults.compression
        bounds.transport.userAgent = object.value(userAgent, &reading) ?? defaults.userAgent
        bounds.transport.interface = object.value(interface, &reading)
        bounds.transport.connectTimeout = object.value(connectTimeout, &reading) ?? defaults.connectTimeout
        bounds.transport.idleTimeout = object.value(idleTimeout, &reading) ?? defaults.idleTimeout
        bounds.transport.totalTimeout = object.value(totalTimeout, &reading) ?? defaults.totalTimeout
        bounds.transport.maxBody = object.value(maxBody, &reading) ?? defaults.maxBody
        bounds.transport.redirects = object.value(redirects, &reading) ?? defaults.redirects
        bounds.transport.redirectOrigins = Set(object.value(redirectTo, &reading) ?? [])
        bounds.transport.concurrency = object.value(concurrency, &reading) ?? defaults.concurrency
        bounds.transport.allowsPlainHTTP = object.value(allowPlainHTTP, &reading) ?? defaults.allowsPlainHTTP
        // The time and the memory of a page stay in proportion to its bytes, regardless of what it holds. A value of real data
        // takes more than 16 bytes with its name.
        bounds.json.maxValues = max(bounds.json.maxValues, bounds.transport.maxBody / 16)
        bounds.json.maxRecords = max(1024, bounds.transport.maxBody / 128)
        return bounds
    }
}

/// The values of `http:`, which the library stores in two types.
struct HTTPBounds: Sendable {
    var transport = TransportSettings()
    var json = JSONLimits()
    /// Nil if the config does not say.
    var proxies: ProxyRules?
}

/// Says whether this machine has a way out, so that an error can be labelled; it never vetoes a request.
public protocol Connectivity: Sendable {
    /// Whether some interface other than loopback is up, has carrier and a global address, and a default route leads
    /// through it.
    func hasUsableRoute() -> Bool

    /// Whether a request to `host` has a way to go: by a default route, or by one to that host or its network.
    ///
    /// This machine itself can be reached without any way out, and so can a host of the own network. Nothing is sent to
    /// find out, and no name is resolved.
    /// - Parameter host: a name or an address, without port and brackets; the proxy's where requests go through one.
    func hasUsableRoute(to host: String) -> Bool
}

extension Connectivity {
    /// Any way out will do.
    public func hasUsableRoute(to host: String) -> Bool { hasUsableRoute() }
}

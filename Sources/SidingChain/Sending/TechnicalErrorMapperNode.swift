// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// Classifies system errors: errno and resolver codes become `noInternetConnection`, `timeout`, `cantConnectToHost` and similar
/// reasons, depending on whether this machine has a usable route.
public struct TechnicalErrorMapperNode<Wrapped: Node>: WrapperNode {
    public let wrapped: Wrapped
    private let connectivity: any Connectivity

    /// Classifies the failures of `wrapped`. `connectivity` is asked only for those that may mean that this machine is
    /// offline.
    public init(_ wrapped: Wrapped, connectivity: any Connectivity) {
        self.wrapped = wrapped
        self.connectivity = connectivity
    }

    public func process(_ input: Wrapped.Input, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        do {
            return try await wrapped.process(input, context)
        } catch {
            throw TechnicalErrors.classify(error, hasUsableRoute: connectivity.hasUsableRoute)
        }
    }
}

/// The table of system errors.
package enum TechnicalErrors {
    /// The failure with a ``Failure/SystemFault`` replaced by its class; every other failure is unchanged.
    ///
    /// - Parameter hasUsableRoute: called only if the result depends on it.
    package static func classify(_ failure: Failure, hasUsableRoute: () -> Bool) -> Failure {
        guard case .system(let fault) = failure.reason else { return failure }
        var classified = failure
        switch fault {
        case .connect(let code):
            (classified.reason, classified.phase) = (connecting(code, hasUsableRoute), .notSent)
        case .established(let code):
            classified.reason = established(code, fallback: failure.reason, phase: failure.phase)
        case .resolver(let code):
            (classified.reason, classified.phase) = (resolving(code, hasUsableRoute), .notSent)
        case .unknown:
            break
        }
        guard failure.underlying is UnreachedProxy else { return classified }
        switch classified.reason {
        // The state of this machine matters more than whom it wanted to reach.
        case .noInternetConnection, .localResource, .cantConnectToHost(.localPolicy): break
        default: classified.reason = .proxyUnreachable
        }
        return classified
    }

    private static func connecting(_ code: Int32, _ hasUsableRoute: () -> Bool) -> Failure.Reason {
        switch code {
        case ENETUNREACH, ENETDOWN, EHOSTDOWN, ENONET: .noInternetConnection
        // No address of the requested family; with a usable route, the ports are exhausted.
        case EADDRNOTAVAIL: hasUsableRoute() ? .localResource : .noInternetConnection
        case EHOSTUNREACH: hasUsableRoute() ? .cantConnectToHost(.unreachable) : .noInternetConnection
        case EINVAL, EACCES, EPERM: .cantConnectToHost(.localPolicy)
        // ENOENT: the service behind a Unix socket has not made it yet.
        case ECONNREFUSED, ENOENT: .cantConnectToHost(.refused)
        case ETIMEDOUT: .timeout(.connect)
        case ECONNRESET, ECONNABORTED, EPIPE: .connectionLost
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: .localResource
        default: .system(.connect(errno: code))
        }
    }

    private static func established(_ code: Int32, fallback: Failure.Reason, phase: Failure.Phase) -> Failure.Reason {
        switch code {
        case ECONNRESET, ECONNABORTED, EPIPE, ENOTCONN: phase == .answered ? .truncated : .connectionLost
        // The link went down under an open connection: the kernel gave up on the peer.
        case ENETUNREACH, ENETDOWN, EHOSTUNREACH, EHOSTDOWN: phase == .answered ? .truncated : .connectionLost
        case ETIMEDOUT: .timeout(.response)
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: .localResource
        default: fallback
        }
    }

    /// EAI_* of getaddrinfo(3). Without a usable route no name can be resolved, whatever the resolver reports.
    private static func resolving(_ code: Int32, _ hasUsableRoute: () -> Bool) -> Failure.Reason {
        guard hasUsableRoute() else { return .noInternetConnection }
        switch code {
        case EAI_NONAME, eaiNoData: return .hostNotFound
        default: return .temporaryDNS
        }
    }

    /// `EAI_NODATA` of glibc, which its header hides behind `_GNU_SOURCE`.
    private static let eaiNoData: Int32 = -5
}

/// Reports whether this machine has a network route, in order to classify errors; it never prevents a request.
public protocol Connectivity: Sendable {
    /// Whether an interface other than loopback is up, has a carrier and a global address, and a default route leads through
    /// it.
    func hasUsableRoute() -> Bool

    /// Whether a request to `host` has a route: a default route, or one to that host or its network.
    ///
    /// This machine and hosts of the local network can be reached without a default route. Nothing is sent and no name is
    /// resolved.
    /// - Parameter host: a name or an address, without port and brackets; the proxy's if requests go through one.
    func hasUsableRoute(to host: String) -> Bool
}

extension Connectivity {
    /// Any usable route counts.
    public func hasUsableRoute(to host: String) -> Bool { hasUsableRoute() }
}

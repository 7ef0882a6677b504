#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Classifies what the system said: errno and resolver codes become `noInternetConnection`, `timeout`,
/// `cantConnectToHost` and their kin, with a look at whether this machine has a way out at all.
public struct TechnicalErrorMapperNode<Wrapped: Node>: WrapperNode {
    public let wrapped: Wrapped
    private let connectivity: any Connectivity

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

/// The mapping of system errors, row by row.
package enum TechnicalErrors {
    /// The same failure with a ``SystemFault`` replaced by its class; every other failure as it is.
    ///
    /// - Parameter hasUsableRoute: asked only where the answer decides.
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
        return classified
    }

    private static func connecting(_ code: Int32, _ hasUsableRoute: () -> Bool) -> Failure.Reason {
        switch code {
        case ENETUNREACH, ENETDOWN, EHOSTDOWN, ENONET: .noInternetConnection
        // No address of the wanted family; with a usable route it is the ports that ran out.
        case EADDRNOTAVAIL: hasUsableRoute() ? .localResource : .noInternetConnection
        case EHOSTUNREACH: hasUsableRoute() ? .cantConnectToHost(.unreachable) : .noInternetConnection
        case EINVAL, EACCES, EPERM: .cantConnectToHost(.localPolicy)
        case ECONNREFUSED: .cantConnectToHost(.refused)
        case ETIMEDOUT: .timeout(.connect)
        case ECONNRESET, ECONNABORTED, EPIPE: .connectionLost
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: .localResource
        default: .system(.connect(errno: code))
        }
    }

    private static func established(_ code: Int32, fallback: Failure.Reason, phase: Failure.Phase) -> Failure.Reason {
        switch code {
        case ECONNRESET, ECONNABORTED, EPIPE, ENOTCONN: phase == .answered ? .truncated : .connectionLost
        // A link that went away under an open connection: the kernel gave up on the peer.
        case ENETUNREACH, ENETDOWN, EHOSTUNREACH, EHOSTDOWN: phase == .answered ? .truncated : .connectionLost
        case ETIMEDOUT: .timeout(.response)
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: .localResource
        default: fallback
        }
    }

    /// EAI_* of getaddrinfo(3). Without a way out, no name can be resolved, whatever the resolver says of it.
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

#if !os(Linux)
    private let ENONET: Int32 = -1
#endif

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

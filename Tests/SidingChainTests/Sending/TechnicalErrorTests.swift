// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingTesting
import Testing

/// The table of system errors, with Linux's numbers written out.
@Suite struct TechnicalErrorTests {
    static let connecting: [(code: Int32, withRoute: Failure.Reason, without: Failure.Reason)] = [
        (101, .noInternetConnection, .noInternetConnection), (100, .noInternetConnection, .noInternetConnection),
        (64, .noInternetConnection, .noInternetConnection), (112, .noInternetConnection, .noInternetConnection),
        (99, .localResource, .noInternetConnection), (113, .cantConnectToHost(.unreachable), .noInternetConnection),
        (22, .cantConnectToHost(.localPolicy), .cantConnectToHost(.localPolicy)),
        (13, .cantConnectToHost(.localPolicy), .cantConnectToHost(.localPolicy)),
        (1, .cantConnectToHost(.localPolicy), .cantConnectToHost(.localPolicy)),
        (111, .cantConnectToHost(.refused), .cantConnectToHost(.refused)),
        (2, .cantConnectToHost(.refused), .cantConnectToHost(.refused)),
        (110, .timeout(.connect), .timeout(.connect)),
        (104, .connectionLost, .connectionLost), (103, .connectionLost, .connectionLost),
        (24, .localResource, .localResource), (23, .localResource, .localResource),
        (105, .localResource, .localResource),
        (12, .localResource, .localResource), (9999, .system(.connect(errno: 9999)), .system(.connect(errno: 9999))),
    ]

    @Test func `a failed connect is classified by errno and route, and was not sent`() {
        for row in Self.connecting {
            for (route, reason) in [(true, row.withRoute), (false, row.without)] {
                let failure = Self.classified(.connect(errno: row.code), phase: .maybeSent, route: route)
                #expect(failure.reason == reason, "errno \(row.code), route \(route)")
                #expect(failure.phase == .notSent)
            }
        }
    }

    @Test(arguments: [104, 103, 32, 107, 101, 100, 113, 112] as [Int32])
    func `a connection that breaks is lost, or truncated once an answer came`(_ code: Int32) {
        #expect(Self.classified(.established(errno: code), phase: .maybeSent).reason == .connectionLost)
        #expect(Self.classified(.established(errno: code), phase: .maybeSent).phase == .maybeSent)
        #expect(Self.classified(.established(errno: code), phase: .answered).reason == .truncated)
        #expect(Self.classified(.established(errno: code), phase: .answered).phase == .answered)
    }

    @Test func `an established connection has rows of its own`() {
        #expect(Self.classified(.established(errno: 110), phase: .maybeSent).reason == .timeout(.response))
        #expect(Self.classified(.established(errno: 24), phase: .maybeSent).reason == .localResource)
        #expect(
            Self.classified(.established(errno: 9999), phase: .maybeSent).reason == .system(.established(errno: 9999)))
    }

    @Test(
        arguments: [
            (-2, Failure.Reason.hostNotFound), (-5, .hostNotFound), (-3, .temporaryDNS), (-4, .temporaryDNS),
            (-11, .temporaryDNS),
        ] as [(Int32, Failure.Reason)])
    func `a resolver's error counts only where a route exists`(_ code: Int32, _ reason: Failure.Reason) {
        let failure = Self.classified(.resolver(code: code), phase: .maybeSent, route: true)
        #expect(failure.reason == reason)
        #expect(failure.phase == .notSent)
        #expect(Self.classified(.resolver(code: code), phase: .notSent, route: false).reason == .noInternetConnection)
    }

    /// Faults on the way to a proxy, with a usable route and without.
    static let towardsProxy: [(fault: Failure.SystemFault, withRoute: Failure.Reason, without: Failure.Reason)] = [
        (.connect(errno: 111), .proxyUnreachable, .proxyUnreachable),
        (.connect(errno: 110), .proxyUnreachable, .proxyUnreachable),
        (.connect(errno: 113), .proxyUnreachable, .noInternetConnection),
        (.connect(errno: 101), .noInternetConnection, .noInternetConnection),
        (.connect(errno: 24), .localResource, .localResource),
        (.connect(errno: 13), .cantConnectToHost(.localPolicy), .cantConnectToHost(.localPolicy)),
        (.resolver(code: -2), .proxyUnreachable, .noInternetConnection),
        (.resolver(code: -3), .proxyUnreachable, .noInternetConnection),
    ]

    @Test func `a proxy that is not reached is reported as such, where this machine has a network`() {
        for row in Self.towardsProxy {
            let failure = Failure(.system(row.fault), phase: .notSent, underlying: UnreachedProxy())
            for (route, reason) in [(true, row.withRoute), (false, row.without)] {
                let classified = TechnicalErrors.classify(failure) { route }
                #expect(classified.reason == reason, "\(row.fault), route \(route)")
                #expect(classified.phase == .notSent)
            }
        }
    }

    @Test func `an unknown fault stays unknown, and other failures pass`() {
        #expect(Self.classified(.unknown("x"), phase: .maybeSent).reason == .system(.unknown("x")))
        let other = TechnicalErrors.classify(Failure(.contract, phase: .answered)) { false }
        #expect(other.reason == .contract)
    }

    @Test func `the node looks at the route only where it decides`() async {
        let connectivity = TestConnectivity(hasUsableRoute: false)
        func chain(_ fault: Failure.SystemFault) -> some Node<Int, Int> {
            TechnicalErrorMapperNode(
                Step<Int, Int> { _, _ throws(Failure) in throw Failure(.system(fault), phase: .notSent) },
                connectivity: connectivity)
        }
        #expect(await chain(.connect(errno: 111)).failure(1)?.reason == .cantConnectToHost(.refused))
        #expect(connectivity.lookups == 0)
        #expect(await chain(.connect(errno: 113)).failure(1)?.reason == .noInternetConnection)
        #expect(connectivity.lookups == 1)
    }

    static func classified(_ fault: Failure.SystemFault, phase: Failure.Phase, route: Bool = true) -> Failure {
        TechnicalErrors.classify(Failure(.system(fault), phase: phase)) { route }
    }
}

// SPDX-License-Identifier: Apache-2.0
import SidingChain
import Testing

@testable import Siding

/// Where a listing begins or goes on: what a plan shows and a sync does.
@Suite struct ListingStartTests {
    private let now = Timestamp(secondsSince1970: 1_700_000_000)

    private func start(
        _ unfinished: ListingStart.Unfinished?, changed: [DefinitionAspect] = [], startsAnew: Bool = false
    ) -> ListingStart {
        ListingStart(unfinished, changed: changed, startsAnew: startsAnew, within: .seconds(3_600), now: now)
    }

    private func stopped(
        at page: Int, ago age: Duration = .seconds(60), isElsewhere: Bool = false, isRetained: Bool = false,
        isHeld: Bool = false
    ) -> ListingStart.Unfinished {
        ListingStart.Unfinished(
            page: page, progressedAt: now + (.zero - age), isElsewhere: isElsewhere, isRetained: isRetained,
            isHeld: isHeld)
    }

    @Test func `a listing continues where it stopped, and otherwise begins at the first page`() {
        #expect(start(nil) == .first(.usual))
        #expect(start(stopped(at: 1)) == .first(.usual))
        #expect(start(stopped(at: 2)) == .checkpoint)
        #expect(start(stopped(at: 1, isRetained: true)) == .retained(isHeld: false))
    }

    @Test func `an old, moved, changed or dropped listing restarts`() {
        #expect(start(stopped(at: 2, ago: .seconds(3_601))) == .first(.tooOld(.seconds(3_600))))
        #expect(start(stopped(at: 2, isElsewhere: true)) == .first(.elsewhere))
        #expect(start(stopped(at: 2), startsAnew: true) == .first(.asked))
        #expect(start(stopped(at: 2), changed: [.key], startsAnew: true) == .first(.redefined([.key])))
    }

    @Test func `a page that an operator holds stays held at any age`() {
        let held = stopped(at: 2, ago: .seconds(86_400), isRetained: true, isHeld: true)
        #expect(start(held) == .retained(isHeld: true))
        #expect(start(held, startsAnew: true) == .first(.asked))
    }
}

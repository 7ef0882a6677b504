// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingCredentials
import SidingTesting
import Testing

@testable import SidingHub

/// When a service publishes to a target.
@Suite struct TargetStateTests {
    private let time = ManualWallClock()

    private func target(_ password: Secret? = nil) -> HubTarget {
        HubTarget(
            "fleet", to: "service=fleet", password: password, station: "van-1", resources: ["issues", "readings"])
    }

    /// Lets a day pass, looking each second, and returns the minutes at which `resource` was tried.
    private func day(
        _ state: inout TargetState, of resource: String, _ errors: [String: String], _ error: String?
    ) -> [Int] {
        var minutes: [Int] = []
        for second in 0..<86_400 {
            time.advance(by: .seconds(1))
            guard state.isDue(now: time.now) else { continue }
            state.begin(now: time.now)
            let resources = state.due(now: time.now)
            if resources.contains(resource) { minutes.append(second / 60) }
            if !resources.isEmpty { state.note(errors, error, of: resources) }
        }
        return minutes
    }

    @Test func `a hub that is down is tried after waits that grow to ten minutes`() {
        var state = TargetState(target())
        let minutes = day(&state, of: "issues", [:], "the line is down")
        #expect(minutes.prefix(7) == [0, 1, 3, 7, 15, 25, 35])
        #expect(minutes.count < 160)
        #expect(state.problem == "the line is down")
        state.note([:], nil, of: state.target.resources)
        #expect(state.problem == nil && state.due(now: time.now) == state.target.resources)
    }

    @Test func `a resource that is refused is tried seldom, and the others each time`() {
        var state = TargetState(target())
        let minutes = day(&state, of: "issues", ["issues": "no primary key"], nil)
        #expect(minutes.prefix(5) == [0, 1, 3, 7, 15])
        #expect(state.problem == "issues: no primary key")
        let others = day(&state, of: "readings", ["issues": "no primary key"], nil)
        #expect(others.count == 1_440)
    }

    @Test func `a clock that is set back puts nothing off`() {
        var state = TargetState(target())
        state.begin(now: time.now)
        state.note([:], "the line is down", of: state.target.resources)
        time.advance(by: .seconds(-3_600))
        #expect(state.isDue(now: time.now) && state.due(now: time.now) == ["issues", "readings"])
    }

    @Test func `a target with another address or password is another one`() {
        let password = Secret(plain: "x", "password")
        var moved = target(password)
        moved.address = "service=other"
        #expect(target(password) == target(password))
        #expect(target() == target() && target() != target(password))
        #expect(moved != target(password))
        #expect(target(Secret(plain: "x", "password")) != target(password), "its file may have another one")
    }
}

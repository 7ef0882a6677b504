// SPDX-License-Identifier: Apache-2.0
import SidingSynchronization
import Testing

@Suite struct WaitingLineTests {
    let turns = WaitingLine()

    /// Takes the turn here and now; the task says whether it got it.
    func taking() -> Task<Bool, Never> {
        started { [turns] in await turns.take() }
    }

    @Test func `the turn goes to one after the other, first come first served`() async {
        #expect(await taking().value)
        let line = [taking(), taking()]
        #expect(turns.count == 2)
        turns.pass()
        #expect(await line[0].value)
        #expect(turns.count == 1)
        turns.pass()
        #expect(await line[1].value)
        turns.pass()
        #expect(await taking().value)
    }

    @Test func `a caller who leaves the line gets no turn`() async {
        #expect(await taking().value)
        let leaver = taking()
        leaver.cancel()
        #expect(await leaver.value == false)
        #expect(turns.count == 0)
    }

    @Test func `the turn passes over a caller who is just leaving`() async {
        for _ in 0..<200 {
            let turns = WaitingLineTests()
            #expect(await turns.taking().value)
            let line = [turns.taking(), turns.taking()]
            line[0].cancel()
            turns.turns.pass()
            #expect(await line[1].value)
            #expect(await line[0].value == false)
        }
    }

    @Test func `a caller cancelled before takes no turn`() async {
        let late = started { [turns] in
            withUnsafeCurrentTask { $0?.cancel() }
            return await turns.take()
        }
        #expect(await late.value == false)
        #expect(await taking().value)
    }

    @Test func `opened, it lets all through`() async {
        #expect(await taking().value)
        let line = [taking(), taking()]
        turns.open()
        for place in line { #expect(await place.value) }
        #expect(await taking().value)
        turns.pass()
        #expect(await taking().value)
    }
}

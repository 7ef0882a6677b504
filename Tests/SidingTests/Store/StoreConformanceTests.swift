import Siding
import SidingTesting
import Testing

@Suite struct StoreConformanceTests {
    @Test(arguments: StoreConformance.laws, Engine.allCases)
    func `every engine keeps every law`(_ law: StoreConformance.Law, _ engine: Engine) async throws {
        try await law.check(engine.provider())
    }

    @Test func `a law has a sentence of its own for a name`() {
        let names = StoreConformance.laws.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.contains(" ") })
    }

    @Test func `a store that does not keep a law is told so`() async throws {
        var broken: [String] = []
        for law in StoreConformance.laws {
            do { try await law.check(ForgetfulProvider()) } catch { broken.append(law.name) }
        }
        #expect(broken.contains("a lease has one holder, who is named to everyone else"))
        #expect(broken.contains("runs are listed newest first, as many as asked for"))
        #expect(broken.count < StoreConformance.laws.count)
    }
}

/// A store that gives every lease to everyone, and lists no runs.
private struct ForgetfulProvider: StoreProvider {
    func open(clock: WallClock) -> any Store {
        StoreSpy(
            InMemoryStore(clock: clock),
            acquireLease: { inner, name, command throws(StoreError) in
                let outcome = try await inner.acquireLease(name, command: command)
                guard case .held = outcome else { return outcome }
                return .acquired(Lease(name: name, token: 99))
            },
            runs: { _, _ in [] })
    }

    func crash(_ store: any Store, clock: WallClock) -> any Store { store }
}

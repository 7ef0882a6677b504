import Testing

@testable import Siding

@Suite struct EntryIDTests {
    @Test func `an id is 26 characters that cannot be taken for each other`() {
        for _ in 0..<200 {
            let id = EntryID.random()
            #expect(id.count == 26)
            #expect(id.allSatisfy { "0123456789abcdefghjkmnpqrstvwxyz".contains($0) })
        }
    }

    @Test func `ids do not repeat`() {
        #expect(Set((0..<1_000).map { _ in EntryID.random() }).count == 1_000)
    }
}

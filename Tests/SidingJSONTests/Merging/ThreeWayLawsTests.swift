// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

/// What holds for every three documents, checked over some thousands.
struct ThreeWayLawsTests {
    struct Versions {
        let base: JSONDocument
        let mine: JSONDocument
        let theirs: JSONDocument

        /// Two edits of one document; now and then documents that have nothing to do with each other.
        init(using random: inout SeededGenerator) throws {
            let memberSet = RandomShape.object(depth: 4, using: &random)
            base = try memberSet.document(using: &random)
            mine = try Self.edit(of: memberSet, using: &random)
            theirs = try Self.edit(of: memberSet, using: &random)
        }

        private static func edit(of memberSet: RandomShape, using random: inout SeededGenerator) throws -> JSONDocument
        {
            Int.random(in: 0..<10, using: &random) == 0
                ? try JSONDocument.random(using: &random)
                : try memberSet.edited(using: &random).document(using: &random)
        }

        func difference(hasBase: Bool = true) -> ThreeWayDifference {
            ThreeWayDifference(base: hasBase ? base : nil, mine: mine, theirs: theirs)
        }
    }

    static func forEachVersions(seed: Int, _ count: Int = 400, _ body: (Versions) throws -> Void) throws {
        var random = SeededGenerator(state: UInt64(seed) &* 15_485_863)
        for _ in 0..<count { try body(Versions(using: &random)) }
    }

    @Test(arguments: 0..<8, [true, false])
    func `conflicts and merged documents are those of plain trees`(seed: Int, hasBase: Bool) throws {
        var merges = 0
        try Self.forEachVersions(seed: seed) { versions in
            let difference = versions.difference(hasBase: hasBase)
            var conflicts: Set<[[UInt8]]> = []
            let tree = Tree.merged(
                base: hasBase ? Tree(versions.base) : nil, mine: Tree(versions.mine), theirs: Tree(versions.theirs),
                conflicts: &conflicts)
            #expect(Set(difference.conflicts.map(\.names)) == conflicts, "\(versions)")
            #expect(Tree(difference.merged(preferring: .theirs)) == tree, "\(versions)")
            #expect((difference.merged != nil) == conflicts.isEmpty)
            if let merged = difference.merged {
                merges += 1
                #expect(merged.isStrictlyValid && Tree(merged) == tree, "\(versions)")
            }
        }
        #expect((40..<360).contains(merges))
    }

    @Test(arguments: 0..<4) func `a side that changed nothing leaves the other to the byte`(seed: Int) throws {
        try Self.forEachVersions(seed: seed) { versions in
            let (base, mine, theirs) = (versions.base, versions.mine, versions.theirs)
            #expect(ThreeWayDifference(base: base, mine: mine, theirs: base).merged == mine)
            #expect(ThreeWayDifference(base: base, mine: base, theirs: theirs).merged == theirs)
            let none = ThreeWayDifference(base: base, mine: base, theirs: base)
            #expect(none.merged == base && none.rows.isEmpty)
            let alike = ThreeWayDifference(base: base, mine: mine, theirs: mine)
            #expect(alike.merged == mine && alike.rows.allSatisfy { $0.change == .both })
        }
    }

    @Test(arguments: 0..<4) func `the sides can be exchanged`(seed: Int) throws {
        try Self.forEachVersions(seed: seed &+ 50) { versions in
            let difference = versions.difference()
            let other = ThreeWayDifference(base: versions.base, mine: versions.theirs, theirs: versions.mine)
            #expect(Set(difference.conflicts.map(\.names)) == Set(other.conflicts.map(\.names)))
            let exchanged: [ThreeWayDifference.Change: ThreeWayDifference.Change] = [
                .mine: .theirs, .theirs: .mine, .both: .both, .conflict: .conflict,
            ]
            let changes = Dictionary(uniqueKeysWithValues: difference.rows.map { ($0.path.names, $0.change) })
            let others = Dictionary(uniqueKeysWithValues: other.rows.map { ($0.path.names, exchanged[$0.change]!) })
            #expect(changes == others, "\(versions)")
            #expect(difference.merged(preferring: .mine).isEquivalent(to: other.merged(preferring: .theirs)))
            #expect(difference.merged(preferring: .mine).isStrictlyValid)
        }
    }

    @Test(arguments: 0..<4) func `each row is a change, and its values are those at its path`(seed: Int) throws {
        try Self.forEachVersions(seed: seed &+ 100) { versions in
            for row in versions.difference().rows {
                let value = { JSONMergePatchCombiningTests.value(at: row.path, in: $0) }
                let trees = [row.base, row.mine, row.theirs].map { $0.map(Tree.init) }
                #expect(row.base == value(versions.base) && row.mine == value(versions.mine))
                #expect(row.theirs == value(versions.theirs))
                let (mineChanged, theirsChanged) = (trees[1] != trees[0], trees[2] != trees[0])
                switch row.change {
                case .mine: #expect(mineChanged && !theirsChanged)
                case .theirs: #expect(!mineChanged && theirsChanged)
                case .both: #expect(mineChanged && theirsChanged && trees[1] == trees[2])
                case .conflict: #expect(mineChanged && theirsChanged && trees[1] != trees[2])
                }
            }
        }
    }

    /// A pending edit that travels as a merge patch does to their document what the merge does. Theirs is an object: of
    /// anything else even a patch that says nothing makes one.
    @Test(arguments: 0..<4) func `without a conflict, merging is applying my patch to theirs`(seed: Int) throws {
        var compared = 0
        try Self.forEachVersions(seed: seed &+ 150) { versions in
            guard versions.base.kind == .object, versions.mine.kind == .object, versions.theirs.kind == .object,
                let merged = versions.difference().merged,
                let patch = try? JSONMergePatch.difference(from: versions.base, to: versions.mine)
            else { return }
            compared += 1
            #expect(Tree(patch.applied(to: versions.theirs)) == Tree(merged), "\(versions)")
        }
        #expect(compared > 30)
    }
}

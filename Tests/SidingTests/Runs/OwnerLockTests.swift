// SPDX-License-Identifier: Apache-2.0
import Foundation
@testable import SidingSQLite
import SidingTesting
import Testing

@testable import Siding

@Suite struct OwnerLockTests {
    @Test func `an owner has one name, and lives`() throws {
        let directory = try TemporaryDirectory()
        let owner = OwnerLock(directory: directory.path(of: "owners"))
        let id = try owner.id()
        #expect(try owner.id() == id)
        #expect(owner.isAlive(id))
    }

    @Test func `a living owner is seen to live by others, and a dead one to be dead`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "owners")
        let (one, other) = (OwnerLock(directory: path), OwnerLock(directory: path))
        let id = try one.id()
        #expect(try other.id() != id)
        #expect(other.isAlive(id))
        one.release()
        #expect(!other.isAlive(id))
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [other.id()])
    }

    @Test func `a check of an owner is not taken for the owner by other checks`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "dead")
        let looking = try LockFile(openingAt: path)
        #expect(try looking.tryLock(isShared: true))
        #expect(try !FileLock.isHeld(path))
        #expect(!OwnerLock(directory: directory.path).isAlive("dead"))
        #expect(looking.path == path)
    }

    @Test func `files of killed processes are swept, those of living and new processes stay`() throws {
        let directory = try TemporaryDirectory()
        let owner = OwnerLock(directory: directory.path)
        let lock = try #require(try HeldLock(directory.path(of: "living")))
        for name in ["dead", "newborn"] {
            #expect(FileManager.default.createFile(atPath: directory.path(of: name), contents: nil))
        }
        for name in ["dead", "living"] {
            let old = Date(timeIntervalSinceNow: -2 * Double(OwnerLock.restingTime))
            try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: directory.path(of: name))
        }
        owner.sweep()
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: directory.path)) == ["living", "newborn"])
        lock.die()
    }

    @Test func `an owner whose lock file stayed behind is dead, until its lock is held`() throws {
        let directory = try TemporaryDirectory()
        let owner = OwnerLock(directory: directory.path)
        let lock = try #require(try HeldLock(directory.path(of: "someone")))
        #expect(owner.isAlive("someone"))
        lock.die()
        #expect(FileManager.default.fileExists(atPath: directory.path(of: "someone")))
        #expect(!owner.isAlive("someone"))
        owner.forget("someone")
        #expect(!FileManager.default.fileExists(atPath: directory.path(of: "someone")))
    }

    @Test func `an owner that never existed is dead`() throws {
        let directory = try TemporaryDirectory()
        #expect(!OwnerLock(directory: directory.path).isAlive("nobody"))
    }
}

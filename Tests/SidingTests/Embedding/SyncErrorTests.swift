// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingTesting
import Testing

/// What a program learns of a sync that failed, or that was kept for later.
@Suite(.timeLimit(.minutes(5))) struct SyncErrorTests {
    @Test func `an error has the failure, the saved counts and the remedy, without a cast`() async throws {
        let blog = try await EmbeddedBlog()
        blog.origin.set("/posts?page=2", .status(.forbidden))
        do { try await blog.siding.sync(blog.posts) } catch {
            #expect(error.resource == "posts")
            #expect(error.failure?.status == 403 && error.failure?.isOffline == false)
            #expect(error.cause.name == "http403" && error.cause.hint != nil)
            #expect(error.saved.pages == 1 && error.saved.inserted == 2)
            #expect(error.entry == nil && error.heldBy == nil && error.storeError == nil && error.gate == nil)
            #expect("\(error)".hasPrefix("posts: the origin answered 403"))
            return
        }
        Issue.record("the sync did not fail")
    }

    @Test func `a page that waits has its failure and its entry`() async throws {
        let blog = try await EmbeddedBlog()
        blog.origin.set("/posts?page=2", .failure(Failure(.noInternetConnection, phase: .notSent)))
        guard case .queued(let error) = try await blog.siding.sync(blog.posts) else {
            Issue.record("nothing was queued")
            return
        }
        #expect(error.failure?.isOffline == true && error.saved.inserted == 2)
        let entry = try await blog.siding.queueEntry(try #require(error.entry))
        #expect(entry.state == .queued && entry.lastError?.name == error.cause.name)
    }

    @Test func `a source that is left alone is named with its reason`() async throws {
        let blog = try await EmbeddedBlog()
        blog.origin.set("/posts", .status(.serviceUnavailable, headerFields: [.retryAfter: "60"]))
        try await blog.siding.sync(blog.posts)
        guard case .queued(let error) = try await blog.siding.sync(blog.posts) else {
            Issue.record("nothing was queued")
            return
        }
        #expect(error.gate?.source == "blog" && error.gate?.reason == .retryAfter)
        #expect(error.failure?.reason == .waitingForOrigin)
        #expect(blog.origin.takeTargets() == ["/posts"])
    }

    @Test func `another process that syncs the resource is named as a value`() async throws {
        let blog = try await EmbeddedBlog()
        guard
            case .acquired(let lease) = try await blog.siding.store.acquireLease(
                "resource:posts", command: "sync posts")
        else {
            Issue.record("the lease is not free")
            return
        }
        let error = await #expect(throws: SyncError.self) { try await blog.siding.sync(blog.posts) }
        #expect(error?.heldBy?.command == "sync posts" && error?.cause.name == "locked" && error?.failure == nil)
        try await blog.siding.store.releaseLease(lease)
        guard case .saved = try await blog.siding.sync(blog.posts) else {
            Issue.record("nothing was saved")
            return
        }
    }

    @Test func `outcomes with the same error are equal`() async throws {
        let blog = try await EmbeddedBlog()
        let lost = ScriptedAnswer.failure(Failure(.noInternetConnection, phase: .notSent))
        blog.origin.set("/posts", lost, lost, .failure(Failure(.connectionLost, phase: .maybeSent)))
        let first = try await blog.siding.sync(blog.posts)
        #expect(try await blog.siding.sync(blog.posts) == first)
        #expect(try await blog.siding.sync(blog.posts) != first)
    }
}

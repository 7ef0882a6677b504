// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingSynchronization
import SidingTesting
import Testing

/// Who is cancelled leaves; the refresh stays as long as someone waits, and a token that was given is saved.
@Suite(.timeLimit(.minutes(5))) struct AbandonedRefreshTests {
    @Test func `one waiter that is cancelled leaves, and the others get their token`() async {
        let hold = ManualClock()
        let bench = AccessBench { asked in
            if asked.request.path == "/token" { try? await hold.sleep(for: .seconds(1)) }
            return nil
        }
        bench.origin.expire()
        let first = Task { await bench.chain.failure("/first") }
        await hold.sleepers(1)
        let second = Task { await bench.chain.failure("/second") }
        await bench.waiting(2)
        first.cancel()
        let cancelled = await first.value
        #expect(cancelled?.reason == .cancelled)
        #expect(cancelled?.phase == .notSent)
        // The refresh itself was not cancelled.
        #expect(hold.waits == [.seconds(1)])
        hold.advance(by: .seconds(1))
        #expect(await second.value == nil)
        #expect(bench.tokenRequests == 1)
    }

    @Test func `the last one leaves at once too, and the token is saved all the same`() async throws {
        let (hold, grace) = (ManualClock(), ManualClock())
        let bench = AccessBench(graceClock: grace) { asked in
            if asked.request.path == "/token" { try? await hold.sleep(for: .seconds(1)) }
            return nil
        }
        bench.origin.expire()
        let call = Task { await bench.chain.failure("/") }
        await hold.sleepers(1)
        call.cancel()
        // The refresh has not ended yet.
        let cancelled = await call.value
        #expect(cancelled?.reason == .cancelled)
        #expect(cancelled?.phase == .notSent)
        await grace.sleepers(1)
        #expect((hold.waits, grace.waits) == ([.seconds(1)], [.seconds(5)]))
        let settled = Task { await bench.safety.waitForRefresh() }
        settled.cancel()
        hold.advance(by: .seconds(1))
        // What a program waits for that ends now, cancelled as it may be.
        await settled.value
        #expect(try await bench.stored?.accessToken == "s3cret-access-2")
        #expect(await bench.chain.failure("/next") == nil)
        #expect(bench.tokenRequests == 1)
        await bench.safety.waitForRefresh()
    }

    @Test func `a refresh without a waiting call is cancelled after the grace`() async throws {
        let (hold, grace) = (ManualClock(), ManualClock())
        let bench = AccessBench(graceClock: grace) { asked in
            guard asked.request.path == "/token" else { return nil }
            do { try await hold.sleep(for: .seconds(3600)) } catch {
                return .failure(Failure(.cancelled, phase: .maybeSent))
            }
            return nil
        }
        bench.origin.expire()
        let call = Task { await bench.chain.failure("/") }
        await hold.sleepers(1)
        call.cancel()
        await grace.sleepers(1)
        grace.advance(by: .seconds(5))
        await bench.safety.waitForRefresh()
        #expect(await call.value?.reason == .cancelled)
        #expect(hold.waits.isEmpty)
        #expect(try await bench.stored?.generation == 1)
    }

    @Test func `an answer that comes although the refresh was cancelled is saved`() async throws {
        let (hold, grace) = (ManualClock(), ManualClock())
        let bench = AccessBench(graceClock: grace) { asked in
            if asked.request.path == "/token" { try? await hold.sleep(for: .seconds(3600)) }
            return nil
        }
        bench.origin.expire()
        let call = Task { await bench.chain.failure("/") }
        await hold.sleepers(1)
        call.cancel()
        await grace.sleepers(1)
        grace.advance(by: .seconds(5))
        await bench.safety.waitForRefresh()
        #expect(await call.value?.reason == .cancelled)
        #expect(try await bench.stored?.accessToken == "s3cret-access-2")
    }

    @Test func `a call that comes during the grace keeps the refresh alive`() async {
        let (hold, grace) = (ManualClock(), ManualClock())
        let bench = AccessBench(graceClock: grace) { asked in
            if asked.request.path == "/token" { try? await hold.sleep(for: .seconds(3600)) }
            return nil
        }
        bench.origin.expire()
        let first = Task { await bench.chain.failure("/first") }
        await hold.sleepers(1)
        first.cancel()
        await grace.sleepers(1)
        let second = Task { await bench.chain.failure("/second") }
        await bench.waiting(1)
        grace.advance(by: .seconds(5))
        await settle()
        #expect(hold.waits == [.seconds(3600)])
        hold.advance(by: .seconds(3600))
        #expect(await second.value == nil)
        #expect(await first.value?.reason == .cancelled)
        #expect(bench.tokenRequests == 1)
    }

    @Test func `a call that comes while an abandoned refresh ends starts its own refresh`() async {
        let grace = ManualClock()
        let (released, release) = (Promise<Void>(), Counter())
        let (isAsked, isGivenUp) = (Promise<Void>(), Promise<Void>())
        let bench = AccessBench(graceClock: grace) { asked in
            guard asked.request.path == "/token", release.next() == 1 else { return nil }
            // Deaf to its cancellation, as a request that is being written is.
            isAsked.resolve(())
            await withTaskCancellationHandler {
                await released.value()
            } onCancel: {
                isGivenUp.resolve(())
            }
            return .failure(Failure(.cancelled, phase: .maybeSent))
        }
        bench.origin.expire()
        let first = Task { await bench.chain.failure("/first") }
        await isAsked.value()
        first.cancel()
        await grace.sleepers(1)
        grace.advance(by: .seconds(5))
        await isGivenUp.value()
        let second = Task { await bench.chain.failure("/second") }
        await bench.waiting(1)
        released.resolve(())
        #expect(await first.value?.reason == .cancelled)
        #expect(await second.value == nil)
        #expect(bench.origin.refreshes == 1)
    }
}

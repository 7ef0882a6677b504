// SPDX-License-Identifier: Apache-2.0
import Dispatch
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting
import Testing

@Suite struct ChainConfiguratorNodeTests {
    enum Trace { @TaskLocal static var caller = "nobody" }

    /// Runs tasks on a queue of its own, which can be told from the inside.
    final class QueueExecutor: TaskExecutor {
        private static let mark = DispatchSpecificKey<Bool>()
        private let queue = DispatchQueue(label: "test")

        init() { queue.setSpecific(key: Self.mark, value: true) }

        static var isHere: Bool { DispatchQueue.getSpecific(key: mark) ?? false }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    static let place = Step<Int, [Bool]> { _, _ in
        let before = QueueExecutor.isHere
        await Task.yield()
        async let child = QueueExecutor.isHere
        return [before, await child, QueueExecutor.isHere]
    }

    @Test func `the chain runs on the executor, its child tasks too, and the caller continues where it was`()
        async throws
    {
        let node = ChainConfiguratorNode(Self.place, executor: QueueExecutor())
        #expect(try await node.process(1, .test) == [true, true, true])
        #expect(!QueueExecutor.isHere)
        #expect(try await ChainConfiguratorNode(Self.place).process(1, .test) == [false, false, false])
    }

    @MainActor @Test func `the chain leaves the caller's actor for the executor`() async throws {
        let node = ChainConfiguratorNode(Self.place, executor: QueueExecutor())
        #expect(try await node.process(1, .test) == [true, true, true])
        MainActor.assertIsolated()
    }

    @MainActor @Test func `with a priority the chain leaves the caller's actor too`() async throws {
        let node = ChainConfiguratorNode(
            Step<Int, Bool> { _, _ in #isolation == nil }, priority: TaskPriority.high)
        #expect(try await node.process(1, .test))
        MainActor.assertIsolated()
    }

    @Test(arguments: [TaskPriority.background, .low, .high], [TaskPriority.low, .high])
    func `the chain runs with the priority, lower or higher than the caller's`(
        _ priority: TaskPriority, _ caller: TaskPriority
    ) async {
        let node = ChainConfiguratorNode(
            Step<Int, [TaskPriority]> { _, _ in
                let before = Task.currentPriority
                await Task.yield()
                return [before, Task.currentPriority]
            }, priority: priority)
        #expect(await started(priority: caller) { try? await node.process(1, .test) }.value == [priority, priority])
    }

    @Test func `without a priority the caller's stays`() async {
        let node = ChainConfiguratorNode(Step<Int, TaskPriority> { _, _ in Task.currentPriority })
        #expect(await started(priority: .high) { try? await node.process(1, .test) }.value == .high)
    }

    @Test func `executor and priority work together`() async throws {
        let node = ChainConfiguratorNode(
            Step<Int, TaskPriority?> { _, _ in QueueExecutor.isHere ? Task.currentPriority : nil },
            executor: QueueExecutor(), priority: .high)
        #expect(try await node.process(1, .test) == .high)
    }

    @Test(arguments: [nil, TaskPriority.high], [true, false])
    func `cancellation passes through, and the failure is the chain's own`(
        _ priority: TaskPriority?, _ hasExecutor: Bool
    ) async {
        let clock = ManualClock()
        let waiting = Step<Int, Int> { input, _ throws(Failure) in
            do { try await clock.sleep(for: .seconds(1)) } catch {
                throw Failure(.cancelled, phase: .maybeSent, detail: "mine")
            }
            return input
        }
        let executor = hasExecutor ? QueueExecutor() : nil
        let call = ChainConfiguratorNode(waiting, executor: executor, priority: priority).call(1)
        await clock.sleepers(1)
        call.cancel()
        #expect(await call.value.failure?.detail == "mine")
    }

    @Test func `task-locals are kept, and the description names the steps`() async throws {
        let node = ChainConfiguratorNode(
            Step<Int, String> { _, context in "\(Trace.caller) \(context.requestID)" }, priority: .high)
        #expect(try await Trace.$caller.withValue("anna") { try await node.process(1, .test) } == "anna test")
        #expect(node.description == "ChainConfiguratorNode(Step)")
    }

    @Test(arguments: [nil, TaskPriority.high])
    func `a built chain runs on the executor to the end of its answer`(_ priority: TaskPriority?) async throws {
        let places = Notes<Bool>()
        let transport = ScriptedTransport { _ in
            places.append(QueueExecutor.isHere)
            return .text("[1]")
        }
        let assembly = ChainAssembly(transport: transport, connectivity: TestConnectivity())
        let builder = URLChainBuilder(assembly).route(.get, try HTTPURL("http://a/"))
        let chain = builder.build(Void.self, to: [Int].self).map { answer in
            places.append(QueueExecutor.isHere)
            return answer
        }
        let node = ChainConfiguratorNode(chain, executor: QueueExecutor(), priority: priority)
        #expect(try await node.process((), .test) == [1])
        #expect(places.all == [true, true])
    }

    @Test func `a call that can be ended, and one that is shared, stay on the executor`() async throws {
        let executor = QueueExecutor()
        #expect(
            try await ChainConfiguratorNode(AborterNode(Self.place), executor: executor).process(1, .test)
                == [true, true, true])
        #expect(
            try await ChainConfiguratorNode(SingleFlightNode(Self.place), executor: executor).process(1, .test)
                == [true, true, true])
        #expect(
            try await ChainConfiguratorNode(
                AborterNode(ChainConfiguratorNode(Self.place, priority: .high)), executor: executor
            ).process(1, .test) == [true, true, true])
    }
}

import ArgumentParser
import Siding
import SidingChain

/// What the commands that change entries have in common: who is meant, the question before, the words and the exit code after.
struct ActionOptions: ParsableArguments {
    @OptionGroup var options: GlobalOptions
    @OptionGroup var selection: SelectionOptions
    @Flag(help: "Every entry that is not settled; for 'purge' every one that is.") var all = false
    @Flag(help: "Say what would be done, and do nothing.") var dryRun = false
    @Flag(help: "Do not ask.") var yes = false

    func validate() throws {
        guard selection.isNarrow || all else {
            throw ValidationError(
                "Name entries by id or by --resource, --source, --lane, --state, --reason, --older-than; or say --all.")
        }
    }

    /// The entries that are meant.
    func chosen() throws -> QueueSelection { try selection.selection(now: WallClock.system.now) }

    /// Asks the person at the terminal, where the change cannot be taken back.
    func confirm(_ question: String) throws {
        try Confirmation(options, isGiven: yes || dryRun).ask(question)
    }

    /// Fails with 66 where a command that must mean something means nothing.
    func checkMeansAny<Element>(_ meant: [Element]) throws {
        guard meant.isEmpty else { return }
        throw CommandError(.notFound, "not_found", "no entry is meant by that", hint: "'siding queue list' shows them")
    }

    /// Fails with 64 where what is for one entry is to be done to several.
    func checkMeansOne(_ meant: [QueueEntry], _ means: String, hint: String = "name one by its id") throws {
        guard meant.count > 1 else { return }
        throw CommandError(
            .usage, "usage", "\(means) is for one entry, and \(Words.grouped(meant.count)) are meant", hint: hint)
    }

    /// Carries `decision` out on the `chosen` entries and tells what became of each entry.
    ///
    /// - Parameter preview: the request that an entry would become, which a dry run tells.
    /// - Returns: the entries that were changed, and the exit status: 1 where all that were meant were refused, 3 where
    ///   some were.
    func perform(
        _ decision: QueueDecision, on chosen: QueueSelection, of store: Store,
        preview: (QueueChange) async throws -> RequestPreview? = { _ in nil }
    ) async throws -> (changed: [QueueEntry], status: ExitStatus) {
        let changes = try await store.carryOut(decision, on: chosen, isRehearsal: dryRun)
        let report = DecisionReport(decision, options, isRehearsal: dryRun)
        if decision != .purge { try checkMeansAny(changes) }
        for change in changes {
            let request = dryRun && change.refusal == nil ? try await preview(change) : nil
            report.tell(change, request)
        }
        let changed = changes.filter { $0.refusal == nil }.map(\.entry)
        report.tellSum(changed.count)
        if changed.count == changes.count { return (changed, .success) }
        return (changed, changed.isEmpty ? .failure : .partial)
    }

    /// The whole of a command that carries `decision` out.
    ///
    /// - Parameter prepare: what comes before it is carried out.
    func run(
        _ decision: QueueDecision,
        after prepare: (QueueSelection, Store) async throws -> Void = { _, _ in }
    ) async throws {
        let status = try await options.withStore(.readWrite) { _, store in
            let chosen = try chosen()
            try await prepare(chosen, store)
            return try await perform(decision, on: chosen, of: store).status
        }
        if status != .success { throw status }
    }
}

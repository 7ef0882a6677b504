// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingInspection
import Siding
import SidingChain

/// Shared parts of the commands that change entries: selection, confirmation, dry run, messages and exit code.
struct ActionOptions: ParsableArguments {
    @OptionGroup var options: GlobalOptions
    @OptionGroup var selection: SelectionOptions
    @Flag(help: "All open entries; for 'purge' all completed ones.") var all = false
    @Flag(help: "Show the effect and change nothing.") var dryRun = false
    @Flag(help: "Do not ask.") var yes = false

    func validate() throws {
        guard selection.isNarrow || all else {
            throw ValidationError(
                "Name entries by id or by --resource, --source, --lane, --state, --reason, --older-than; or say --all.")
        }
    }

    /// The selection of entries that the options describe.
    func chosen(_ workspace: Workspace, _ store: Store) async throws -> QueueSelection {
        try await selection.selection(now: WallClock.system.now, workspace, store)
    }

    /// The selection without the writes that may have arrived; a message counts those left out. Sent again they could act twice,
    /// so the operator has to look at the origin first, and then select them by id or by reason.
    func chosenSurely(_ workspace: Workspace, _ store: Store) async throws -> QueueSelection {
        var chosen = try await chosen(workspace, store)
        guard chosen.ids.isEmpty, chosen.reasons.isEmpty else { return chosen }
        var doubtful = chosen
        doubtful.reasons = Self.doubtful
        // Also where there is none yet: a sender may park one while the others are worked off.
        chosen.exceptReasons = Set(Self.doubtful)
        let count = try await store.count(doubtful)
        guard count > 0 else { return chosen }
        Output.printMessage(
            """
            \(MessageFormat.count(count, "write")) that may have arrived \(count == 1 ? "was" : "were") left \
            unchanged: sent again, \(count == 1 ? "it" : "they") could act twice. Look at the origin: if it has the write, \
            'siding queue resolve ID --arrived'; if not, select it by id, or by --reason uncertain or key_expired
            """)
        if try await store.count(chosen) == 0 { throw ExitStatus.success }
        return chosen
    }

    /// The reasons of writes that may have arrived.
    static let doubtful: [ParkReason] = [.uncertain, .keyExpired]

    /// Asks for confirmation at the terminal, unless `--yes` or `--dry-run` is given.
    func confirm(_ question: String) throws {
        try options.confirm(question, isGiven: yes || dryRun)
    }

    /// - Throws: ``CommandError`` with code 66 if no entry was selected.
    func checkMeansAny<Element>(_ meant: [Element]) throws {
        guard meant.isEmpty else { return }
        throw CommandError.notFound("no entry is selected", hint: "'siding queue list' shows them")
    }

    /// - Throws: ``CommandError`` with code 64 if several entries were selected for an action on one.
    func checkMeansOne(_ meant: [QueueEntry], _ means: String, hint: String = "name one by its id") throws {
        guard meant.count > 1 else { return }
        throw CommandError.usage(
            "\(means) is for one entry, and \(MessageFormat.grouped(meant.count)) are selected", hint: hint)
    }

    /// Performs the operator action `decision` on the `chosen` entries and prints the result of each.
    ///
    /// - Returns: the changed entries, and the exit status: 1 if all selected entries were refused, 3 if some were.
    func perform(
        _ decision: OperatorAction, on chosen: QueueSelection, of store: Store
    ) async throws -> (changed: [QueueEntry], status: ExitStatus) {
        let changes = try await store.carryOut(decision, on: chosen, isRehearsal: dryRun)
        let report = ActionReport(decision: decision, options: options, isRehearsal: dryRun)
        if decision != .purge { try checkMeansAny(changes) }
        changes.forEach(report.tell)
        let changed = changes.filter { $0.refusal == nil }.map(\.entry)
        report.tellSum(changed.count)
        if changed.count == changes.count { return (changed, .success) }
        return (changed, changed.isEmpty ? .failure : .partial)
    }

    /// Opens the store and performs `decision` on the selected entries.
    ///
    /// - Parameter prepare: runs first, such as a confirmation.
    /// - Throws: the exit status of `perform`, unless it is success.
    func run(
        _ decision: OperatorAction,
        after prepare: (QueueSelection, Store) async throws -> Void = { _, _ in }
    ) async throws {
        let status = try await options.withStore(.readWrite) { workspace, store in
            let chosen =
                try await decision == .act(.release) ? chosenSurely(workspace, store) : chosen(workspace, store)
            try await prepare(chosen, store)
            return try await perform(decision, on: chosen, of: store).status
        }
        if status != .success { throw status }
    }
}

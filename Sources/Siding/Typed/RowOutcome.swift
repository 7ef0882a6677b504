/// The outcome of saving one model.
public enum RowOutcome<Model: Sendable>: Sendable {
    /// No live record was stored under its key.
    case inserted
    case updated
    /// The stored JSON is the same; nothing was written.
    case unchanged
    /// Not written, by a rule.
    case skipped(SkipReason)
    /// The stored model differs, and the strategy leaves the decision to the caller.
    case conflict(stored: Model)
    /// It cannot be stored; the rest of the batch is not affected.
    case invalid(String)

    /// Why a model was skipped.
    public enum SkipReason: String, Sendable, Hashable, CaseIterable {
        /// A newer version is stored, and versions never go backwards.
        case stale
        /// Another model of the batch with the same key was used.
        case duplicate
    }
}

extension RowOutcome: Equatable where Model: Equatable {}

/// How to save a model if another body is stored under its key.
///
/// If the resource declares a version, a higher version is no conflict, a lower one is stale and skipped, and only an equal
/// version with another body is a conflict. `merge` and `takePreferable` are called whatever the versions; their result is
/// written unless it is older than the stored model.
///
/// The functions run outside of any transaction, and again if the stored record changed meanwhile.
public enum ConflictStrategy<Model: Sendable>: Sendable {
    /// Writes nothing, and returns ``RowOutcome/conflict(stored:)``.
    case error
    /// Writes the function's result. If the function throws, the row is invalid, with the error's text.
    case merge(with: @Sendable (_ stored: Model, _ incoming: Model) throws -> Model)
    /// Writes the new model.
    case overwrite
    /// Writes the model that the function returns.
    case takePreferable(@Sendable (_ stored: Model, _ incoming: Model) -> Model)
}

/// Which of several models with the same key in a batch is saved; the others are skipped as duplicates.
public enum DuplicateRule: Sendable, Hashable {
    case first, last
    /// The one with the highest version, the last of equals; without a version, the last.
    case highestVersion
}

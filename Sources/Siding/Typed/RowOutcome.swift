/// What became of one model that was to be saved.
public enum RowOutcome<Model: Sendable>: Sendable {
    /// Nothing living was stored under its key.
    case inserted
    case updated
    /// The stored JSON is the same; nothing was written.
    case unchanged
    /// Not written, and that is as it should be.
    case skipped(SkipReason)
    /// What is stored differs, and the strategy is not to decide: here it is.
    case conflict(stored: Model)
    /// It cannot be stored; the others of its batch do not suffer for it.
    case invalid(String)

    /// Why a model was passed over.
    public enum SkipReason: String, Sendable, Hashable, CaseIterable {
        /// A newer version is stored, and a stored version never goes backwards.
        case stale
        /// Another model of the batch has the same key and was taken.
        case duplicate
    }
}

extension RowOutcome: Equatable where Model: Equatable {}

/// What to do where another body is stored under a model's key.
///
/// Where the resource declares a version, a higher one than the stored is no error, a lower one is stale and skipped, and
/// only an equal one with another body is a conflict. `merge` and `takePreferable` are asked whatever the versions: what
/// they answer is written if it is not older than what is stored.
///
/// The functions run outside of any transaction, and again if the stored record changed meanwhile.
public enum ConflictStrategy<Model: Sendable>: Sendable {
    /// Writes nothing and says so: ``RowOutcome/conflict(stored:)``.
    case error
    /// Writes what the function makes of both. It may throw: the row is then invalid, with the error's text.
    case merge(with: @Sendable (_ stored: Model, _ incoming: Model) throws -> Model)
    /// Writes the new model.
    case overwrite
    /// Writes whichever the function gives back.
    case takePreferable(@Sendable (_ stored: Model, _ incoming: Model) -> Model)
}

/// Which of several models with one key in a batch is taken; the others are skipped as duplicates.
public enum DuplicateRule: Sendable, Hashable {
    case first, last
    /// The newest by the resource's version, the last of several; without a version, the last.
    case highestVersion
}

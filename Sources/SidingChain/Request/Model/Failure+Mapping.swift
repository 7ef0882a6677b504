extension Failure {
    /// The failure that stands for an error of a mapping: it names the Swift type and the field.
    ///
    /// Before sending, the request is invalid; after the answer, the answer broke its contract. An error of the user's own
    /// stays in ``underlying``, as it was thrown.
    static func mapping(_ error: any Error, of type: Any.Type, phase: Phase) -> Failure {
        if error is Failure || error is CancellationError { return wrapping(error, phase: phase) }
        var mapping = MappingError(wrapping: error)
        mapping.type = mapping.type ?? String(describing: type)
        if let own = mapping.underlying {
            return Failure(.userCode, phase: phase, detail: mapping.description, underlying: own)
        }
        let reason: Reason = phase == .notSent ? .invalidRequest : .contract
        return Failure(reason, phase: phase, detail: mapping.description, underlying: mapping)
    }
}

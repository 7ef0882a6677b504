public import SidingChain

/// A chain step that reads models from the local copy, by a query made from the input.
///
/// ```swift
/// let open = SaveRecordsStep(to: issues, in: siding).then(
///     FetchRecordsStep { _ in siding.records(of: issues).where(\.state == "open") })
/// ```
public struct FetchRecordsStep<Input: Sendable, Model: Codable & Sendable>: Node {
    private let query: @Sendable (Input) throws -> RecordQuery<Model>

    /// - Parameter query: makes the query; an error that it throws becomes a failure of the caller's code.
    public init(_ query: @escaping @Sendable (Input) throws -> RecordQuery<Model>) {
        self.query = query
    }

    /// - Throws: a failure of the reason ``Failure/Reason/storage(_:)``, or of the caller's function.
    public func process(_ input: Input, _ context: ChainContext) async throws(Failure) -> [Model] {
        let query: RecordQuery<Model>
        do { query = try self.query(input) } catch { throw Failure.wrapping(error, phase: .answered).at(node: name) }
        do throws(RecordError) { return try await query.array() } catch { throw error.failure(at: name) }
    }
}

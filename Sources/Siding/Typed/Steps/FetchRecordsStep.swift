public import SidingChain

/// Reads models from the local copy: what comes along the line says which.
///
/// ```swift
/// let open = SaveRecordsStep(to: issues, in: siding).then(
///     FetchRecordsStep { _ in siding.records(of: issues).where(\.state == "open") })
/// ```
public struct FetchRecordsStep<Input: Sendable, Model: Codable & Sendable>: Node {
    private let query: @Sendable (Input) throws -> RecordQuery<Model>

    /// - Parameter query: makes the query; what it throws travels on as a failure of the caller's own code.
    public init(_ query: @escaping @Sendable (Input) throws -> RecordQuery<Model>) {
        self.query = query
    }

    /// - Throws: a failure of the reason ``Failure/Reason/storage(_:)``, or what the caller's function threw.
    public func process(_ input: Input, _ context: ChainContext) async throws(Failure) -> [Model] {
        let query: RecordQuery<Model>
        do { query = try self.query(input) } catch { throw Failure.wrapping(error, phase: .answered).at(node: name) }
        do throws(RecordError) { return try await query.array() } catch { throw error.failure(at: name) }
    }
}

import SidingChain
internal import SidingJSON

/// Has a look at what a changed `where`, or a changed mark of `deletes:`, says of stored records, before the sync that would let
/// them go.
///
/// Opening a listing carries out a changed `where`, and pages a changed mark: what the origin marks as deleted goes without a
/// guard, as the origin said so. Where too much would go as only the config has changed, nothing is asked for at all, and what
/// is stored, the view and the definition stay as they are. What pages show is looked at when all is known: ``NullFilteredRecords``.
struct ConfigChange: Sendable {
    let resource: AnyResource
    let options: SyncOptions
    let store: Store

    /// - Returns: what a changed condition leaves out; nil where it is the one that records are kept by.
    func leftOut() async throws(StoreError) -> LeftOutRecords? {
        // A listing of its own changes nothing that is declared.
        guard !options.isAside else { return nil }
        return try await store.leftOut(by: resource.shape, of: resource.name)
    }

    /// - Returns: what has a changed mark already; nil where it is the mark as before, or nothing has it.
    func marked() async throws(StoreError) -> MarkedRecords? {
        guard let mark = resource.deletions.mark,
            let known = try await store.freshness(of: resource.name),
            ResourceDefinition(resource).differences(from: known.definition).contains(ResourceDefinition.markAspect)
        else { return nil }
        return try await store.marked(by: mark, of: resource.name)
    }

    /// Why nothing is to be asked for; nil where as much may go.
    func refusal(_ leaving: some LeavingRecords) -> String? {
        guard !options.acceptsDeletes, leaving.isTooMuch(for: resource.deletions) else { return nil }
        return "\(type(of: leaving).consequence) \(leaving.words). \(resource.deletions.excess)"
    }

    /// What a sync would do first because of either.
    enum Outlook {
        /// It asks for nothing, as too much would go.
        case refused(why: String)
        case applied(String)
    }

    /// - Returns: nil where a sync would do nothing because of either.
    func outlook() async throws(StoreError) -> Outlook? {
        let (left, marked) = (try await leftOut(), try await marked())
        for why in [left.flatMap { refusal($0) }, marked.flatMap { refusal($0) }] {
            if let why { return .refused(why: "\(why): --accept-deletes does it") }
        }
        let going = [
            left.flatMap { $0.count > 0 ? "'where' leaves out \($0.words)" : nil },
            marked.map { "'deletes' deletes, as pages show them, \($0.words)" },
        ]
        let words = going.compactMap(\.self)
        return words.isEmpty ? nil : .applied(words.joined(separator: "; "))
    }
}

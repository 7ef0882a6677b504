internal import SidingChain

/// Whether a resource is worth asking for.
///
/// `X-Poll-Interval` is a demand of the origin, and holds for every sync. `Cache-Control` is a promise: it counts where a
/// person said that older records will do, with `maxAge`; who says nothing wants what is there now, and a condition makes
/// that cheap. What a person asks for beyond the usual is asked for in any case.
struct FreshnessCheck {
    let resource: AnyResource
    let options: SyncOptions
    let now: Timestamp

    /// Why it is pointless, for a person; nil where the resource is to be asked for.
    func isPointless(_ standing: ResourceFreshness?) -> String? {
        guard !options.isFull, options.since == nil, !options.isAside, !options.acceptsDeletes, let standing,
            let completed = standing.completedAt, isAsItWas(standing)
        else { return nil }
        if let moment = standing.notBefore(at: now) {
            return
                "the origin asks not to be asked before \(moment.rfc3339) (X-Poll-Interval); --full asks all the same"
        }
        guard let maxAge = options.maxAge else { return nil }
        let age = now - completed
        // A completion in the future says that the clock was set back, not that the records are fresh.
        if age >= .zero, age < maxAge { return "complete \(age.components.seconds) s ago: fresh enough" }
        if let moment = standing.freshUntil(at: now) {
            return "the origin calls it current until \(moment.rfc3339) (Cache-Control): fresh enough"
        }
        return nil
    }

    /// By what would be stored of them.
    private static func isSame(_ one: RecordShape, _ other: RecordShape) -> Bool {
        (try? StoredShape.text(of: one)) == (try? StoredShape.text(of: other))
    }

    /// Whether the last listing stands for what a sync would ask for now: none was begun since, and what the config says of the
    /// resource is what it said then. A sync applies what is new of that, whether the origin has news or not.
    private func isAsItWas(_ standing: ResourceFreshness) -> Bool {
        !standing.isUnfinished && ResourceDefinition(resource).isSame(as: standing.definition)
            && standing.shape.map { Self.isSame($0, resource.shape) } ?? true
    }
}

// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingCredentials
internal import SidingJSON
internal import SidingPaging

extension SyncPlan {
    /// What a sync would request for the parents of a fan-out.
    package struct FanOut: Sendable, Hashable {
        /// The parent resource.
        package var resource: String
        package var outlook: ParentOutlook
        /// The first few requests, with credentials left out.
        package var urls: [String]
    }

    /// The number of requests shown.
    private static let shown = 3

    /// The plan for a resource that has a listing per parent.
    static func make(
        for resource: AnyResource, each: ForEach, _ open: OpenResource, options: SyncOptions, in store: Store?,
        shard: Shard?, now: Timestamp
    ) async throws -> SyncPlan {
        let base = Redaction.url(resource.source.baseURL, also: [])
        let template = (base.hasSuffix("/") ? String(base.dropLast()) : base) + resource.path
        var plan = SyncPlan(
            resource: resource.name, method: resource.method.rawValue, url: template, conditions: [],
            reason: "", paging: resource.paging.description, deletes: resource.deletesInWords)
        plan.fanOut = FanOut(resource: each.resource, outlook: ParentOutlook(), urls: [])
        let states = try await store?.resourceStates(countsRecords: false) ?? []
        guard let store, states.contains(where: { $0.resource == each.resource }) else {
            let nothing = Obstacle.parents(why: "'\(each.resource)' has no stored records yet")
            (plan.obstacle, plan.reason) = (nothing, nothing.explained("its records are the parents"))
            return plan
        }
        let state = states.first { $0.resource == resource.name }
        let isChanged = state.map { ResourceDefinition(resource) != $0.definition } ?? false
        let begin = Begin(isChanged: isChanged, state, options, now)
        var selection = each.selection(for: resource.name, in: begin.position)
        if case .query(let sql)? = each.parents.filter { selection.keys = try await store.keys(ofQuery: sql) }
        var all = selection
        (all.pass, all.areChanged) = (nil, false)
        selection.keys = try await store.keys(of: all, in: shard)
        let outlook = try await store.outlook(selection)
        let held = begin.startsAnew ? [] : try await heldLanes(of: resource, in: store)
        selection.limit = Self.shown + held.count
        var parents: [Parent] = []
        for turn in ParentTurn.all(in: begin.position, of: Run.none) where parents.count < Self.shown {
            parents += try await store.parents(selection.of(turn))
                .filter { !held.contains(FetchRetention.lane(of: resource.name, scope: $0.key)) }
        }
        parents = Array(parents.prefix(Self.shown))
        let reason = begin.reason + Self.why(outlook, each, shard)
        let (asked, failure) = try await requests(for: parents, of: resource, each, options, store, now)
        if outlook.due == 0 {
            plan.obstacle = .parents(why: "no parent is due")
        } else if parents.isEmpty {
            plan.obstacle = .parents(why: "the parents that are due wait for an operator in the queue")
        } else if let obstacle = try await obstacle(resource, open, options, at: asked.first, in: store, now) {
            plan.obstacle = obstacle
        } else if asked.isEmpty, outlook.due <= parents.count {
            let reason = failure.map { ": \($0)" } ?? ""
            plan.obstacle = .parents(why: "the parents that are due have no usable address\(reason)")
        }
        plan.reason = plan.obstacle?.explained(reason) ?? reason
        let urls = asked.map { Redaction.url($0, also: resource.source.authorization.secretQueryNames) }
        plan.fanOut = FanOut(resource: each.resource, outlook: outlook, urls: urls)
        plan.url = urls.first ?? template
        plan.limits = asked.first.map { limits(of: resource.source, at: $0) } ?? []
        return plan
    }

    /// The lanes of parents whose page waits for an operator action: a sync skips them.
    private static func heldLanes(of resource: AnyResource, in store: Store) async throws -> Set<String> {
        let selection = QueueSelection(resources: [resource.name], states: [.parked], kinds: [.fetch])
        return Set(try await store.entries(selection).filter(\.waitsForPerson).map(\.lane))
    }

    /// How the next fan-out pass begins.
    private struct Begin {
        var reason: String
        var position: PassPosition
        /// Whether unfinished listings are dropped, however recent.
        var startsAnew: Bool

        init(isChanged: Bool, _ state: ResourceState?, _ options: SyncOptions, _ now: Timestamp) {
            let pass = state?.pass
            startsAnew = options.startsAnew || options.isAdHoc || isChanged
            let isOpen = pass?.isOpen ?? false
            let limit = pass?.limit ?? Resumption.limit
            let goesOn = Resumption.goesOn(state?.progressedAt, startsAnew: startsAnew, within: limit, now: now)
            if isOpen, goesOn, let pass {
                reason = "the interrupted pass continues: "
                position = PassPosition(pass: pass.pass, takesAll: pass.takesAll, isResumed: true)
                return
            }
            reason =
                isChanged ? "the definition changed: " : options.isFull ? "full listings, as asked: " : "a new pass: "
            if isOpen, !startsAnew { reason = "a new pass, as \(Resumption.passTooOld(limit)): " }
            position = PassPosition(pass: (pass?.pass ?? 0) + 1, takesAll: startsAnew, isResumed: false)
        }
    }

    private static func why(_ outlook: ParentOutlook, _ each: ForEach, _ shard: Shard?) -> String {
        let part = shard.map { " in shard \($0)" } ?? ""
        let known = "\(outlook.due) of \(outlook.all) records of '\(each.resource)'\(part)"
        let reasons = [(outlook.new, "new"), (outlook.changed, "changed"), (outlook.unfinished, "not complete")]
        let words = reasons.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        return words.isEmpty ? known : "\(known) (\(words))"
    }

    /// - Returns: the requests, and why one cannot be made for the first parent that has none.
    private static func requests(
        for parents: some Sequence<Parent>, of resource: AnyResource, _ each: ForEach, _ options: SyncOptions,
        _ store: Store, _ now: Timestamp
    ) async throws -> (urls: [HTTPURL], failure: String?) {
        var urls: [HTTPURL] = []
        var failure: String?
        func fail(_ parent: Parent, _ reason: String) {
            failure = failure ?? "'\(PlainText.oneLine(parent.key, limit: 60))': \(reason)"
        }
        for parent in parents {
            let bound: BoundParent
            do { bound = try BoundParent(parent, by: each, pass: nil) } catch {
                fail(parent, error.reason)
                continue
            }
            let open = try await store.begin(resource, for: bound)
            let cursor = CursorStart(resource.cursor, stored: open.cursor, options, now: now)
            let rule = NextPageRule(resource: resource, size: open.sizing(of: resource)?.size)
            let first: PageRequest
            do { first = try rule.first(from: cursor, for: bound) } catch {
                fail(parent, error.description)
                continue
            }
            let opening = ListingOpening(planning: resource, options, first, root: rule.root(for: bound))
            urls.append(rule.sized(open.decision(opening, now: now)?.page ?? first).url)
        }
        return (urls, failure)
    }
}

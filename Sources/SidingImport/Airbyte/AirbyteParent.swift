/// The stream over whose records another one is partitioned.
struct AirbyteParent {
    let stream: AirbyteComponent
    /// The name that it has itself, rather than by a parameter of the child.
    let ownName: String?
    /// The name of its resource.
    var name: String

    /// The first parent of `child`: of several, one can be said.
    ///
    /// - Parameter name: the child's, after which a parent is called that has none.
    init?(of child: AirbyteComponent, called name: String) {
        let router = child.component("retriever")?.components("partition_router").first
        guard router?.type == "SubstreamPartitionRouter",
            let stream = router?.components("parent_stream_configs").first?.component("stream")
        else { return nil }
        self.stream = stream
        ownName = stream.node["name"]?.text ?? stream.node["$parameters"].map(stream.resolved)?["name"]?.text
        self.name = ownName ?? "\(name)_parent"
    }

    /// Where a member lies in the records as they are stored: without what AddFields adds.
    func stored(_ path: [String], from origin: Origin, _ manifest: inout ImportedManifest) -> String {
        guard let made = addition(to: path) else { return ImportedPath.text(path) }
        if let access = made.value, access.root == "record", access.fallback == nil, let source = access.path {
            return source + ImportedPath.text(made.rest).dropFirst()
        }
        let member = path.joined(separator: ".").prefix(60)
        manifest.leaveOut(
            origin,
            "'\(member)' is made by AddFields of '\(name.prefix(60))', and the records of Siding do not have it",
            hint: "write in 'bind' of 'for_each' a member that the origin gives")
        return ImportedPath.text(path)
    }

    /// What AddFields last puts at `path` or around it; nil where it puts nothing there.
    private func addition(to path: [String]) -> (value: AirbyteAccess?, rest: [String])? {
        for step in stream.components("transformations").reversed() where step.type == "AddFields" {
            for field in step.components("fields").reversed() {
                let names = field["path"]?.texts ?? []
                guard !names.isEmpty, path.starts(with: names) else { continue }
                return (field["value"]?.text?.inBraces.flatMap(AirbyteAccess.init), Array(path.dropFirst(names.count)))
            }
        }
        return nil
    }
}

extension AirbyteComponent {
    /// What a stream asks for, so that streams of one name can be told apart, and those without one be found.
    ///
    /// - Parameter depth: how many parents are looked at as well.
    func request(depth: Int = 4) -> [String] {
        let retriever = component("retriever")
        let requester = retriever?.component("requester")
        let own = ["url_base", "url", "path", "http_method"].map { name in
            requester.map { $0.fill($0[name]?.text ?? "", "").shown } ?? ""
        }
        let parameters = (requester?.members("request_parameters") ?? []).map { "\($0.name)=\($0.node.text ?? "")" }
        let extractor = retriever?.component("record_selector")?.component("extractor")
        let place = (extractor?["field_path"]?.texts ?? []).map { extractor?.fill($0, "").shown ?? "" }
        let parent = depth > 0 ? AirbyteParent(of: self, called: "")?.stream.request(depth: depth - 1) : nil
        return own + parameters + ["in"] + place + ["of"] + (parent ?? [])
    }
}

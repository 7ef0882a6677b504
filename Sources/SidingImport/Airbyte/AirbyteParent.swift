// SPDX-License-Identifier: Apache-2.0
/// The parent stream, over whose records another stream is partitioned.
struct AirbyteParent {
    let stream: AirbyteComponent
    /// Its own name; nil if the name comes from a parameter of the child.
    let ownName: String?
    /// The name of its resource.
    var name: String

    /// The first parent of `child`; siding.yaml supports only one.
    ///
    /// - Parameter name: the child's name, from which an unnamed parent gets its own.
    init?(of child: AirbyteComponent, called name: String) {
        let router = child.component("retriever")?.components("partition_router").first
        guard router?.type == "SubstreamPartitionRouter",
            let stream = router?.components("parent_stream_configs").first?.component("stream")
        else { return nil }
        self.stream = stream
        ownName = stream.node["name"]?.text ?? stream.node["$parameters"].map(stream.resolved)?["name"]?.text
        self.name = ownName ?? "\(name)_parent"
    }

    /// The path of a member in stored records, which lack members added by AddFields.
    func stored(_ path: [String], from origin: Origin, _ imported: inout ImportedConfig) -> String {
        switch AirbyteAdditions(stream).place(of: path) {
        case .own: break
        case .copied(let source): return source
        case .made:
            imported.noteUnsupported(
                origin, AirbyteAdditions.reason(path, of: name),
                hint: "write in 'bind' of 'for_each' a member that the origin sends")
        }
        return ImportedPath.text(path)
    }
}

extension AirbyteComponent {
    /// The parts of a stream's request, to compare streams of the same name and to find unnamed ones.
    ///
    /// - Parameter depth: the number of parents to include.
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

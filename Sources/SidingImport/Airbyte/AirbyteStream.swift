// SPDX-License-Identifier: Apache-2.0
/// Converts a DeclarativeStream to a resource.
struct AirbyteStream {
    let stream: AirbyteComponent
    /// The name of its resource.
    let name: String?
    /// The stream over whose records it is partitioned.
    let parent: AirbyteParent?
    /// A comment for the resource in the config.
    let remark: String?
    let budget: AirbyteBudget

    private static let known: Set<String> = [
        "type", "name", "retriever", "primary_key", "schema_loader", "incremental_sync", "transformations",
        "$parameters", "stream_cursor_field", "description",
    ]
    private static let retrieverKeys: Set<String> = [
        "type", "requester", "record_selector", "paginator", "partition_router", "decoder",
        "ignore_stream_slicer_parameters_on_paginated_requests",
    ]

    func add(to imported: inout ImportedConfig) {
        guard let name else {
            return imported.noteUnsupported(stream.origin, "the stream has no name")
        }
        imported.owner = name
        defer { imported.owner = nil }
        guard stream.type == nil || stream.type == "DeclarativeStream" else {
            return noteUnsupported(stream.origin, "streams of the type '\(shown(stream.type))'", &imported)
        }
        guard let retriever = stream.component("retriever"),
            let requester = retriever.component("requester")
        else {
            return imported.noteUnsupported(
                stream.origin, "the stream '\(name)' has no retriever with a requester, and is left out")
        }
        guard retriever.type == nil || retriever.type == "SimpleRetriever" else {
            return noteUnsupported(retriever.origin, "retrievers of the type '\(shown(retriever.type))'", &imported)
        }
        imported.noteUnsupported(membersOf: stream.node, but: Self.known)
        imported.noteUnsupported(membersOf: retriever.node, but: Self.retrieverKeys)
        guard var (source, resource) = AirbyteRequester(requester: requester).read(name: name, stream, &imported) else {
            return
        }
        if let remark { resource.remarks.append(remark) }
        budget.add(to: &source, &imported)
        addDecoder(retriever, &imported)
        let additions = AirbyteAdditions(stream)
        AirbyteKey(stream: stream, additions: additions).add(to: &resource, &imported)
        AirbyteRecords(selector: retriever.component("record_selector"), stream: stream, additions: additions)
            .add(to: &resource, &imported)
        if let paginator = retriever.component("paginator") {
            AirbytePaginator(paginator: paginator).add(to: &resource, source.name, &imported)
        } else {
            resource.paginate = .text("none", from: retriever.origin)
        }
        if let cursor = stream.component("incremental_sync") {
            AirbyteCursor(cursor: cursor, additions: additions).add(to: &resource, source.name, &imported)
        }
        if resource.cursor == nil { resource.dropCursor(askedFor: "a time span", inBody: "a time span", &imported) }
        for loader in stream.components("schema_loader") {
            AirbyteSchema(loader: loader, additions: additions).add(to: &resource)
        }
        let partitions = AirbytePartition(routers: retriever.components("partition_router"), parent: parent)
        for (resource, source) in partitions.expanded(resource, source, &imported) {
            imported.add(resource, from: source)
        }
    }

    private func noteUnsupported(_ origin: Origin, _ what: String, _ imported: inout ImportedConfig) {
        imported.noteUnsupported(
            origin, "siding.yaml does not support \(what); the stream is left out", hint: "write the resource by hand")
    }

    private func shown(_ type: String?) -> String { String((type ?? "").prefix(60)) }

    private func addDecoder(_ retriever: AirbyteComponent, _ imported: inout ImportedConfig) {
        guard let decoder = retriever.component("decoder"), let type = decoder.type, type != "JsonDecoder" else {
            return
        }
        imported.noteUnsupported(decoder.origin, "answers are read as JSON, not with '\(type.prefix(60))'")
    }
}

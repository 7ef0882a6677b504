// SPDX-License-Identifier: Apache-2.0
/// Converts `client:` of a REST source of dlt (the Python library "data load tool").
struct DltClient {
    let client: InputNode

    /// The source; nil after noting that there is no usable base URL.
    func source(_ imported: inout ImportedConfig) -> ImportedSource? {
        imported.noteUnsupported(membersOf: client, but: ["base_url", "headers", "auth", "paginator"])
        guard let url = client["base_url"], let text = url.text else {
            imported.noteUnsupported(client.origin, "the client has no 'base_url'", hint: "every source needs one")
            return nil
        }
        guard case .literal(let plain) = DltReference.read(text) else {
            imported.noteUnsupported(
                url.origin, "the URL is only in dlt's configuration", hint: "write it by hand")
            return nil
        }
        var source = ImportedSource(url: plain, from: url.origin, of: client.origin, &imported)
        if let auth = client["auth"] { DltAuth(auth: auth).add(to: &source, &imported) }
        Self.addHeaders(client["headers"], to: &source, &imported)
        return source
    }

    static func addHeaders(
        _ headers: InputNode?, to source: inout ImportedSource, _ imported: inout ImportedConfig
    ) {
        guard let headers else { return }
        guard headers.isMap else { return imported.noteUnsupported(headers.origin, "header fields are a map") }
        for member in headers.members {
            guard let text = member.node.text else {
                imported.noteUnsupported(member.node.origin, "a header field is text")
                continue
            }
            source.addHeader(member.name, DltReference.read(text), from: member.node.origin, &imported)
        }
    }
}

/// Converts `client:` of a dlt source.
struct DltClient {
    private let client: InputNode

    init(_ client: InputNode) {
        self.client = client
    }

    /// The source; nil after noting that there is no usable base URL.
    func source(_ manifest: inout ImportedManifest) -> ImportedSource? {
        manifest.noteUnsupported(membersOf: client, but: ["base_url", "headers", "auth", "paginator"])
        guard let url = client["base_url"], let text = url.text else {
            manifest.noteUnsupported(client.origin, "the client has no 'base_url'", hint: "every source needs one")
            return nil
        }
        guard case .literal(let plain) = DltReference.read(text, in: "dlt") else {
            manifest.noteUnsupported(
                url.origin, "the URL is only in dlt's configuration", hint: "write it by hand")
            return nil
        }
        var source = ImportedSource(url: plain, from: url.origin, of: client.origin, &manifest)
        if let auth = client["auth"] { DltAuth(auth).add(to: &source, &manifest) }
        Self.addHeaders(client["headers"], to: &source, &manifest)
        return source
    }

    static func addHeaders(
        _ headers: InputNode?, to source: inout ImportedSource, _ manifest: inout ImportedManifest
    ) {
        guard let headers else { return }
        guard headers.isMap else { return manifest.noteUnsupported(headers.origin, "header fields are a map") }
        for member in headers.members {
            guard let text = member.node.text else {
                manifest.noteUnsupported(member.node.origin, "a header field is text")
                continue
            }
            source.addHeader(member.name, DltReference.read(text, in: source.name), from: member.node.origin, &manifest)
        }
    }
}

public import FoundationEssentials

/// The fields and files of a `multipart/form-data` body (RFC 7578), in the order in which they are sent.
///
/// ```swift
/// var form = MultipartForm()
/// form.append(field: "title", value: "Broken gate")
/// form.append(file: "/srv/photos/gate.jpg", name: "photos[]")
/// form.append(data: thumbnail, name: "photos[]", filename: "small.png")
/// ```
/// Several parts may have one name. Nothing is read before the form is sent, and files are never held in memory.
public struct MultipartForm: Sendable, Hashable {
    /// One field or file.
    public struct Part: Sendable, Hashable {
        public let name: String
        public let filename: String?
        /// Nil for plain fields, which are UTF-8 text.
        public let contentType: String?
        public let content: Content
    }

    /// Where the bytes of a part are.
    public enum Content: Sendable, Hashable {
        case bytes([UInt8])
        /// A file, read while it is sent.
        case file(path: String)
    }

    /// All parts, first to last.
    public private(set) var parts: [Part] = []

    public init() {}

    /// Adds a plain field; its text is sent byte for byte.
    public mutating func append(field name: String, value: String) {
        parts.append(Part(name: name, filename: nil, contentType: nil, content: .bytes(Array(value.utf8))))
    }

    /// Adds bytes in memory.
    ///
    /// - Parameters:
    ///   - filename: what the origin is told the file is called; without it, the part is no file.
    ///   - contentType: by the file name's extension unless said otherwise.
    public mutating func append(
        data: [UInt8], name: String, filename: String? = nil, contentType: String? = nil
    ) {
        let type = contentType ?? MediaType.ofFile(named: filename ?? "")
        parts.append(Part(name: name, filename: filename, contentType: type, content: .bytes(data)))
    }

    /// Adds a file, which is looked at when the request is made and read while it is sent.
    ///
    /// - Parameters:
    ///   - path: absolute, or relative to the working directory.
    ///   - filename: what the origin is told the file is called; the last component of the path unless said otherwise.
    ///   - contentType: by the extension of the name, or of the path, unless said otherwise.
    public mutating func append(
        file path: String, name: String, filename: String? = nil, contentType: String? = nil
    ) {
        let own = path.split(separator: "/").last.map(String.init) ?? path
        let type = contentType ?? filename.flatMap(MediaType.known(ofFileNamed:)) ?? MediaType.ofFile(named: own)
        parts.append(Part(name: name, filename: filename ?? own, contentType: type, content: .file(path: path)))
    }

    /// Adds a file by its URL.
    ///
    /// - Throws: ``Failure/Reason/invalidRequest`` for a URL that is no file URL.
    public mutating func append(
        file url: URL, name: String, filename: String? = nil, contentType: String? = nil
    ) throws(Failure) {
        guard url.isFileURL else {
            throw Failure(.invalidRequest, phase: .notSent, detail: "the file for the field '\(name)' is no file: URL")
        }
        append(file: url.path, name: name, filename: filename, contentType: contentType)
    }

    /// Adds typed fields, sorted by name, with the nested names that `encoding` makes: `user[name]`, `tags[]`.
    ///
    /// A list that ``QueryEncoding/ArrayStrategy/comma`` would join becomes fields of the same name instead (RFC 7578
    /// §4.3), as nothing is escaped here that could tell its commas from those of the items.
    public mutating func append(fields: [String: QueryValue], encoding: QueryEncoding = QueryEncoding()) {
        encoding.forEachField(of: fields) { field in
            append(field: field.name, value: field.value)
            for value in field.further { append(field: field.name, value: value) }
        }
    }

    /// Adds the members of a model, as ``append(fields:encoding:)`` does.
    ///
    /// - Throws: ``Failure/Reason/invalidRequest`` where the model is no object, or holds what cannot be encoded.
    public mutating func append(
        model: some Encodable, encoding: QueryEncoding = QueryEncoding()
    ) throws(Failure) {
        append(fields: try QueryValueEncoder().members(of: model, for: "form fields"), encoding: encoding)
    }
}

// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import SidingChain

/// The fields and files of a `multipart/form-data` body (RFC 7578), in the order in which they are sent.
///
/// ```swift
/// var form = MultipartForm()
/// form.append(field: "title", value: "Broken gate")
/// form.append(file: "/srv/photos/gate.jpg", name: "photos[]")
/// form.append(data: thumbnail, name: "photos[]", filename: "small.png")
/// ```
/// Several parts may have the same name. Files are read only while the form is sent, and never held in memory as a whole.
public struct MultipartForm: Sendable, Hashable {
    /// One field or file.
    package struct Part: Sendable, Hashable {
        package let name: String
        package let filename: String?
        /// Nil for plain fields, which are UTF-8 text.
        package let contentType: String?
        package let content: Content
    }

    /// The content of a part.
    package enum Content: Sendable, Hashable {
        case bytes([UInt8])
        /// The path of a file, which is read while it is sent.
        case file(path: String)
    }

    /// All parts in order.
    package private(set) var parts: [Part] = []

    /// A form without parts; add them with the `append` methods.
    public init() {}

    /// Adds a plain field; its text is sent unchanged.
    public mutating func append(field name: String, value: String) {
        parts.append(Part(name: name, filename: nil, contentType: nil, content: .bytes(Array(value.utf8))))
    }

    /// Adds bytes in memory.
    ///
    /// - Parameters:
    ///   - data: the content.
    ///   - name: the name of the field.
    ///   - filename: the file name that the origin receives; without it, the part is not a file.
    ///   - contentType: by default determined by the file name's extension.
    public mutating func append(
        data: [UInt8], name: String, filename: String? = nil, contentType: String? = nil
    ) {
        let type = contentType ?? MediaType.ofFile(named: filename ?? "")
        parts.append(Part(name: name, filename: filename, contentType: type, content: .bytes(data)))
    }

    /// Adds a file, which is checked when the request is made and read while it is sent.
    ///
    /// - Parameters:
    ///   - path: absolute, or relative to the working directory.
    ///   - name: the name of the field.
    ///   - filename: the file name that the origin receives; the last path component by default.
    ///   - contentType: by default determined by the extension of the name, or of the path.
    public mutating func append(
        file path: String, name: String, filename: String? = nil, contentType: String? = nil
    ) {
        let own = path.split(separator: "/").last.map(String.init) ?? path
        let type = contentType ?? filename.flatMap(MediaType.known(ofFileNamed:)) ?? MediaType.ofFile(named: own)
        parts.append(Part(name: name, filename: filename ?? own, contentType: type, content: .file(path: path)))
    }

    /// Adds a file by its URL.
    ///
    /// - Throws: `Failure.Reason.invalidRequest` if the URL is not a file URL.
    public mutating func append(
        file url: URL, name: String, filename: String? = nil, contentType: String? = nil
    ) throws(Failure) {
        guard url.isFileURL else {
            throw Failure(
                .invalidRequest, phase: .notSent, detail: "the file for the field '\(name)' is not a file: URL")
        }
        append(file: url.path, name: name, filename: filename, contentType: contentType)
    }

    /// Adds typed fields, sorted by name, with the nested names of `encoding`: `user[name]`, `tags[]`.
    ///
    /// A list that `QueryEncoding.ArrayStrategy.comma` would join becomes several fields of the same name (RFC 7578 §4.3),
    /// because without escaping its commas could not be distinguished from those in the items.
    public mutating func append(fields: [String: QueryValue], encoding: QueryEncoding = QueryEncoding()) {
        encoding.forEachField(of: fields) { field in
            append(field: field.name, value: field.value)
            for value in field.further { append(field: field.name, value: value) }
        }
    }

    /// Adds the members of a model, as ``append(fields:encoding:)`` does.
    ///
    /// - Throws: `Failure.Reason.invalidRequest` if the model is not an object, or holds a value that cannot be encoded.
    public mutating func append(
        model: some Encodable, encoding: QueryEncoding = QueryEncoding()
    ) throws(Failure) {
        append(fields: try QueryValueEncoder().members(of: model, for: "form fields"), encoding: encoding)
    }
}

/// A form is its own DTO and its own raw form, so that it can be the DTO of a model.
extension MultipartForm: DTOEncodable, RawEncodable {
    /// The form itself.
    public func toRaw() -> MultipartForm { self }
}

// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import SidingChain
internal import SidingJSON

extension JSONCoding {
    /// The model as JSON. Names are always sorted, because bodies are compared.
    static func document<Model: Encodable>(of model: Model, by encoder: JSONEncoder) throws -> JSONDocument {
        if let document = model as? JSONDocument { return document }
        encoder.outputFormatting.insert(.sortedKeys)
        encoder.outputFormatting.remove(.prettyPrinted)
        do {
            // Our own output needs no limits.
            return try JSONDocument(Array(try encoder.encode(model)), limits: .unlimited)
        } catch let error as EncodingError {
            throw MappingError(error).of(Model.self)
        }
    }

    /// The model decoded from the document's own bytes.
    static func model<Model: Decodable>(
        _ type: Model.Type, from document: JSONDocument, by decoder: JSONDecoder
    ) throws -> Model {
        if let document = document as? Model { return document }
        do {
            return try decoder.decode(type, from: Data(document.bytes))
        } catch let error as DecodingError {
            let traced = DecodingTrace.unfitting(after: error, type, in: document, by: decoder)
            throw (traced ?? MappingError(error, in: document)).of(type)
        }
    }
}

extension MappingError {
    fileprivate func of(_ type: Any.Type) -> MappingError {
        var error = self
        error.type = String(describing: type)
        return error
    }
}
